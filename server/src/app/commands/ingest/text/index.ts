import { accessLog, apacheError } from "./formats/apache.ts";
import { iso } from "./formats/iso.ts";
import { epoch, klog, nginxError } from "./formats/others.ts";
import { jsonLog, logfmt } from "./formats/structured.ts";
import { syslog } from "./formats/syslog.ts";
import type { Format, TextEntry } from "./entry.ts";
import type { TimeContext } from "./time.ts";

export type { TextEntry } from "./entry.ts";
export { yearBefore, type TimeContext } from "./time.ts";
export { UTC, zoneOf, type Zone } from "./zone.ts";

const FORMATS: readonly Format[] = [iso, syslog, apacheError, accessLog, nginxError, klog, epoch, jsonLog, logfmt];

/** Reads lines of any format that it knows; the one that fitted last is tried first. Null: none fits. */
export function createTextParser(context: TimeContext): (line: string) => TextEntry | null {
  let last: Format = iso;
  return (line) => {
    const entry = last(line, context);
    if (entry !== null) return entry;
    for (const format of FORMATS) {
      const made = format === last ? null : format(line, context);
      if (made === null) continue;
      last = format;
      return made;
    }
    return null;
  };
}

/** Lines that go on with the entry before: stack traces, wrapped statements. */
const CONTINUATION = /^(?:\s|Caused by: |Traceback \(|\.\.\. \d+ more|[\w.$]+(?:Error|Exception)\b)/;

/** True for a line without a time of its own that belongs to the message before it. */
export function isContinuation(line: string): boolean {
  return CONTINUATION.test(line);
}
