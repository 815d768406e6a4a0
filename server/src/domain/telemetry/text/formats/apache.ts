import { addDetails, targetDetails } from "../details.ts";
import { attributesOf, levelOf, UNSPECIFIED, type Format, type Groups, type ParsedLine } from "../entry.ts";
import { monthOf, timestampOf, type Civil } from "../times/index.ts";

/**
 * `[Sun Dec 04 04:47:44 2005] [error] [client 192.0.2.7] message`, and the format since 2.4 with module, pid and
 * thread.
 */
const ERROR =
  /^\[(?:[A-Z][a-z]{2} )?(?<mo>[A-Z][a-z]{2}) +(?<d>\d{1,2}) (?<h>\d\d):(?<mi>\d\d):(?<s>\d\d)(?:\.(?<f>\d{1,9}))? (?<y>\d{4})\] \[(?:(?<logger>[\w-]+):)?(?<level>[a-z0-9]+)\](?: \[pid (?<pid>\d+)(?::tid (?<thread>\d+))?\])? ?(?<message>.*)$/s;

/**
 * Common and combined access logs of Apache, nginx and others. A last number with a decimal point is the duration in
 * seconds.
 */
const ACCESS =
  /^(?:(?<vhost>\S+:\d+) )?(?<client_ip>[0-9a-fA-F.:]+|[\w.-]+) \S+ (?<user>\S+) \[(?<d>\d{2})\/(?<mo>[A-Z][a-z]{2})\/(?<y>\d{4}):(?<h>\d\d):(?<mi>\d\d):(?<s>\d\d) (?<o>[+-]\d{4})\] "(?<request>(?:[^"\\]|\\.)*)" (?<status>\d{3}) (?<bytes>\d+|-)(?: "(?<referrer>(?:[^"\\]|\\.)*)" "(?<user_agent>(?:[^"\\]|\\.)*)")?(?: .*?(?<time>\d{1,9}\.\d{1,9}))?/s;

export const apacheError: Format = (line, context) => {
  const groups = ERROR.exec(line)?.groups;
  if (groups === undefined) return null;
  const timestamp = timestampOf(civilOf(groups), context.zone);
  if (timestamp === null) return null;
  const attributes = attributesOf(groups, ["logger", "pid", "thread"]);
  const message = groups["message"] ?? "";
  const entry: ParsedLine = { timestamp, level: levelOf(groups["level"]), message, attributes };
  addDetails(entry);
  return entry;
};

export const accessLog: Format = (line, context) => {
  // This cheap test excludes most other lines.
  const groups = line.includes('] "') ? ACCESS.exec(line)?.groups : undefined;
  if (groups === undefined) return null;
  const timestamp = timestampOf(civilOf(groups), context.zone);
  if (timestamp === null) return null;
  const attributes = attributesOf(groups, ["vhost", "client_ip", "user", "status", "bytes", "referrer", "user_agent"]);
  const [method = "", target] = groups["request"]?.split(" ") ?? [];
  if (target !== undefined) Object.assign(attributes, targetDetails(method, target));
  const time = groups["time"];
  if (time !== undefined) attributes["duration_ms"] = Math.round(Number(time) * 1_000_000) / 1000;
  // An access log has no level, and a level from the status would be a guess. The status is an attribute.
  const message = `${groups["request"] ?? ""} ${groups["status"] ?? ""}`;
  return { timestamp, level: UNSPECIFIED, message, attributes };
};

function civilOf(groups: Groups): Civil {
  return {
    year: Number(groups["y"]),
    month: monthOf(groups["mo"] ?? ""),
    day: Number(groups["d"]),
    hour: Number(groups["h"]),
    minute: Number(groups["mi"]),
    second: Number(groups["s"]),
    fraction: groups["f"] ?? "",
    offset: groups["o"],
  };
}
