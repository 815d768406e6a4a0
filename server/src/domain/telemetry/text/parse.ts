import { accessLog, apacheError } from "./formats/apache.ts";
import { auditd, klog, nginxError } from "./formats/others.ts";
import { jsonLog, logfmt } from "./formats/structured.ts";
import { syslog } from "./formats/syslog.ts";
import { timed, untimed } from "./formats/timed.ts";
import { UNSPECIFIED, type Format, type ParsedLine } from "./entry.ts";
import { findTime, readTime, type TimeContext, type TimeFinder } from "./times/index.ts";

/**
 * Formats with more known parts than a time and a level. No line matches two of them, so their order does not matter.
 */
const FORMATS: readonly Format[] = [syslog, apacheError, accessLog, nginxError, klog, auditd, jsonLog, logfmt];

/** The prefix that Kubernetes writes on each line: a time, the stream, and whether the line is complete. */
const STREAM = /^(?<time>\d{4}-\d\d-\d\dT\S{8,26}) (?<stream>stdout|stderr) [FP] (?<line>.*)$/s;

export type Parser = (line: string) => ParsedLine;

/** Reads lines of any format. It tries the format of the previous line first. */
export function createTextParser(context: TimeContext): Parser {
  let last: Format = syslog;
  const find: TimeFinder = (line) => findTime(line, context);
  const bare: Parser = (line) => {
    const entry = last(line, context);
    if (entry !== null) return entry;
    for (const format of FORMATS) {
      const made = format === last ? null : format(line, context);
      if (made === null) continue;
      last = format;
      return made;
    }
    return timed(line, find) ?? untimed(line);
  };
  return (line) => wrapped(line, context, bare) ?? unwrapped(bare(line), bare);
}

/** Reads lines whose time has a given form. */
export function createTimedParser(find: TimeFinder): Parser {
  return (line) => timed(line, find) ?? untimed(line);
}

function wrapped(line: string, context: TimeContext, bare: Parser): ParsedLine | null {
  const groups = STREAM.exec(line)?.groups;
  const timestamp = groups === undefined ? null : readTime(groups["time"] ?? "", context);
  if (groups === undefined || timestamp === null) return null;
  const inner = bare(groups["line"] ?? "");
  return { ...inner, timestamp, attributes: { stream: groups["stream"] ?? "", ...inner.attributes } };
}

/** When Docker wrapped a line in JSON, the inner line has the level and the fields. */
function unwrapped(outer: ParsedLine, bare: Parser): ParsedLine {
  if (outer.attributes["stream"] === undefined || outer.level !== UNSPECIFIED) return outer;
  const inner = bare(outer.message);
  return { ...inner, timestamp: outer.timestamp, attributes: { ...outer.attributes, ...inner.attributes } };
}
