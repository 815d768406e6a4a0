import { addDetails } from "../details.ts";
import { attributesOf, levelOf, type Format, type TextEntry } from "../entry.ts";
import { leadingLevel, LEVEL_WORD } from "../levels.ts";
import { timestampOf, timestampOfEpoch } from "../time.ts";

/** klog of Kubernetes: `I1120 08:00:00.123456   1234 file.go:123] message`. */
const KLOG =
  /^(?<severity>[IWEF])(?<mo>\d\d)(?<d>\d\d) (?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)\.(?<f>\d{1,9}) +(?<pid>\d+) (?<source>[^\s\]]+)\] (?<message>.*)$/s;
const KLOG_LEVELS: Readonly<Record<string, string>> = { I: "info", W: "warning", E: "error", F: "fatal" };

/** nginx: `2026/11/20 08:00:00 [error] 31#31: *5 open() failed, client: 192.0.2.7, server: _, request: "GET / HTTP/1.1"`. */
const SLASHES =
  /^(?<y>\d{4})\/(?<mo>\d\d)\/(?<d>\d\d) (?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)(?:\.(?<f>\d{1,9}))? (?:\[(?<level>\w+)\] )?(?:(?<pid>\d+)#(?<thread>\d+): )?(?<message>.*)$/s;

/** Seconds to nanoseconds since 1970, first thing on the line. */
const EPOCH = new RegExp(
  `^\\[?(?<whole>\\d{10,19})(?:\\.(?<f>\\d{1,9}))?\\]?:? +(?:\\[?(?<level>${LEVEL_WORD})\\]?:? +)?(?<message>.*)$`,
  "s",
);
/** auditd: `type=SYSCALL msg=audit(1364481363.243:24287): …`. */
const AUDITD =
  /^(?:node=(?<host>\S+) )?type=(?<type>\S+) msg=audit\((?<whole>\d{10})\.(?<f>\d+):\d+\): ?(?<message>.*)$/s;

export const klog: Format = (line, context) => {
  const groups = KLOG.exec(line)?.groups;
  if (groups === undefined) return null;
  const year = context.yearOf(Number(groups["mo"]), Number(groups["d"]));
  const timestamp = timestampOf({ ...civilOf(groups), year }, context.zone);
  const level = KLOG_LEVELS[groups["severity"] ?? ""];
  return made(timestamp, level, groups, ["pid", "source"]);
};

export const nginxError: Format = (line, context) => {
  const groups = SLASHES.exec(line)?.groups;
  if (groups === undefined) return null;
  const timestamp = timestampOf({ ...civilOf(groups), year: Number(groups["y"]) }, context.zone);
  return made(timestamp, groups["level"] ?? leadingLevel(groups["message"] ?? ""), groups, ["pid", "thread"]);
};

export const epoch: Format = (line) => {
  const groups = EPOCH.exec(line)?.groups ?? AUDITD.exec(line)?.groups;
  if (groups === undefined) return null;
  const timestamp = timestampOfEpoch(groups["whole"] ?? "", groups["f"] ?? "");
  return made(timestamp, groups["level"] ?? leadingLevel(groups["message"] ?? ""), groups, ["host", "type"]);
};

function made(
  timestamp: string | null,
  level: string | undefined,
  groups: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): TextEntry | null {
  if (timestamp === null) return null;
  const entry: TextEntry = {
    timestamp,
    level: levelOf(level),
    message: groups["message"] ?? "",
    attributes: attributesOf(groups, names),
  };
  addDetails(entry);
  return entry;
}

function civilOf(
  groups: Readonly<Record<string, string | undefined>>,
): Omit<Parameters<typeof timestampOf>[0], "year"> {
  return {
    month: Number(groups["mo"]),
    day: Number(groups["d"]),
    hour: Number(groups["h"]),
    minute: Number(groups["mi"]),
    second: Number(groups["s"]),
    fraction: groups["f"] ?? "",
  };
}
