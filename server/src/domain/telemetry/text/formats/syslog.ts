import { addDetails } from "../details.ts";
import { attributesOf, levelOf, type Format, type Groups, type ParsedLine, type TextEntry } from "../entry.ts";
import { findLevel, LEVEL_WORD, syslogLevel } from "../levels.ts";
import { monthOf, readTime, timestampOf } from "../times/index.ts";

/** RFC 3164, with or without its priority: `Dec 10 06:55:46 host program[pid]: message`. */
const BSD = new RegExp(
  `^(?:<(?<pri>\\d{1,3})>)?(?<mo>[A-Z][a-z]{2}) +(?<d>\\d{1,2}) (?<h>\\d\\d):(?<mi>\\d\\d):(?<s>\\d\\d)(?:\\.(?<f>\\d{1,9}))? (?!(?:19|20)\\d\\d |(?:${LEVEL_WORD}|UTC|GMT)[\\s:|]|(?:${LEVEL_WORD})$)(?:(?<host>[\\w.:@/-]*\\w) )?(?:(?<program>[^\\s:[]+)(?:\\[(?<pid>\\d+)\\])?:(?: |$))?(?<message>.*)$`,
  "s",
);

/** RFC 5424: `<34>1 2026-11-20T08:00:00.123Z host program pid id [data] message`. */
const IETF =
  /^<(?<pri>\d{1,3})>\d (?<time>\S+) (?<host>\S+) (?<program>\S+) (?<pid>\S+) (?<id>\S+) (?:-|(?<data>(?:\[(?:[^\]\\]|\\.)*\])+))(?: \u{feff}?(?<message>.*))?$/su;

const ATTRIBUTES = ["host", "program", "pid"];

export const syslog: Format = (line, context) => {
  const groups = BSD.exec(line)?.groups;
  if (groups === undefined) return ietf(line, context);
  const month = monthOf(groups["mo"] ?? "");
  const day = Number(groups["d"]);
  if (month === 0) return null;
  const timestamp = timestampOf(
    {
      year: context.yearOf(month, day),
      month,
      day,
      hour: Number(groups["h"]),
      minute: Number(groups["mi"]),
      second: Number(groups["s"]),
      fraction: groups["f"] ?? "",
    },
    context.zone,
  );
  return timestamp === null ? null : made(timestamp, groups, attributesOf(groups, ATTRIBUTES));
};

const ietf: Format = (line, context) => {
  const groups = IETF.exec(line)?.groups;
  if (groups === undefined) return null;
  const timestamp = readTime(groups["time"] ?? "", context);
  if (timestamp === null) return null;
  const attributes = attributesOf({ ...groups, message_id: groups["id"], structured_data: groups["data"] }, [
    ...ATTRIBUTES,
    "message_id",
    "structured_data",
  ]);
  return made(timestamp, groups, attributes);
};

function made(timestamp: string, groups: Groups, attributes: TextEntry["attributes"]): ParsedLine {
  const message = groups["message"] ?? "";
  const priority = groups["pri"];
  const level = priority === undefined ? findLevel(message, 0)?.level : syslogLevel(Number(priority));
  const entry: ParsedLine = { timestamp, level: levelOf(level), message, attributes };
  if (typeof attributes["program"] === "string") entry.service = attributes["program"];
  addDetails(entry);
  return entry;
}
