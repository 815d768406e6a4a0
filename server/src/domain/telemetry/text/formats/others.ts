import { addDetails } from "../details.ts";
import { attributesOf, levelOf, type Format, type Groups, type ParsedLine } from "../entry.ts";
import { findLevel, letterLevel } from "../levels.ts";
import { timestampOf, timestampOfEpoch, type Civil } from "../times/index.ts";

/** klog of Kubernetes and glog: `I1120 08:00:00.123456   1234 file.go:123] message`, with the year since glog 0.6. */
const KLOG =
  /^(?<severity>[IWEF])(?<y>20\d\d)?(?<mo>\d\d)(?<d>\d\d) (?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)\.(?<f>\d{1,9}) +(?<pid>\d+) (?<source>[^\s\]]+)\] (?<message>.*)$/s;

/** nginx: `2026/11/20 08:00:00 [error] 31#31: *5 open() failed, client: 192.0.2.7, server: _, request: "GET / HTTP/1.1"`. */
const NGINX =
  /^(?<y>\d{4})\/(?<mo>\d\d)\/(?<d>\d\d) (?<h>\d\d):(?<mi>\d\d):(?<s>\d\d) \[(?<level>\w+)\] (?<pid>\d+)#(?<thread>\d+): (?<message>.*)$/s;

/** auditd: `type=SYSCALL msg=audit(1364481363.243:24287): …`. */
const AUDITD =
  /^(?:node=(?<host>\S+) )?type=(?<type>\S+) msg=audit\((?<whole>\d{10})\.(?<f>\d+):\d+\): ?(?<message>.*)$/s;

export const klog: Format = (line, context) => {
  const groups = KLOG.exec(line)?.groups;
  if (groups === undefined) return null;
  const year =
    groups["y"] === undefined ? context.yearOf(Number(groups["mo"]), Number(groups["d"])) : Number(groups["y"]);
  const timestamp = timestampOf({ ...civilOf(groups), year }, context.zone);
  return made(timestamp, letterLevel(groups["severity"]), groups, ["pid", "source"]);
};

export const nginxError: Format = (line, context) => {
  const groups = NGINX.exec(line)?.groups;
  if (groups === undefined) return null;
  const timestamp = timestampOf({ ...civilOf(groups), year: Number(groups["y"]) }, context.zone);
  return made(timestamp, groups["level"], groups, ["pid", "thread"]);
};

export const auditd: Format = (line) => {
  const groups = AUDITD.exec(line)?.groups;
  if (groups === undefined) return null;
  const timestamp = timestampOfEpoch(groups["whole"] ?? "", groups["f"] ?? "");
  return made(timestamp, findLevel(groups["message"] ?? "", 0)?.level, groups, ["host", "type"]);
};

function made(
  timestamp: string | null,
  level: string | undefined,
  groups: Groups,
  names: readonly string[],
): ParsedLine | null {
  if (timestamp === null) return null;
  const entry: ParsedLine = {
    timestamp,
    level: levelOf(level),
    message: groups["message"] ?? "",
    attributes: attributesOf(groups, names),
  };
  addDetails(entry);
  return entry;
}

function civilOf(groups: Groups): Omit<Civil, "year"> {
  return {
    month: Number(groups["mo"]),
    day: Number(groups["d"]),
    hour: Number(groups["h"]),
    minute: Number(groups["mi"]),
    second: Number(groups["s"]),
    fraction: groups["f"] ?? "",
  };
}
