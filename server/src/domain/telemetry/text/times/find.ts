import type { TimeContext } from "./civil.ts";
import { formsAt, type TimeForm } from "./forms.ts";

/** A time within a line: its place, and its value in UTC. */
export interface FoundTime {
  readonly start: number;
  readonly end: number;
  readonly timestamp: string;
}

/** Finds the time in a line, or returns null. */
export type TimeFinder = (line: string) => FoundTime | null;

/** A time must begin within this many characters of the line. */
export const TIME_SEARCH_CHARS = 80;

const DIGITS_MAX = 20;
const FILE_NAME = /^\S{1,250}\.log\S{0,50}:? (?=\S)/;
/** Matches a date at the end of the text before a time of day. */
const DATE_BEFORE = /(?:\d[-/.]\d{1,4}|[A-Za-z]{3,9} {1,2}\d{1,2},?)[T ]$/;
/** With more words of prose before it, a number or a time of day belongs to the message. */
const WORDS_MAX = { number: 3, clock: 1 };
/** A Unix time and a date that are the same moment may differ by this much, because the date has no time zone. */
const SAME_TIME_MS = 26 * 3_600_000;

/**
 * Finds the first time that begins in the first 80 characters, with two exceptions. A number that may be a Unix time
 * loses to a later date that is another moment. A time without a date loses to any later date, unless only punctuation
 * and words in capitals are before the time.
 */
export function findTime(line: string, context: TimeContext): FoundTime | null {
  let weak: FoundTime | null = null;
  let isNumber = false;
  // A file name at the beginning of the line may contain a time.
  const from = line.includes(".log") ? (FILE_NAME.exec(line)?.[0].length ?? 0) : 0;
  for (let at = from; at < line.length && at < TIME_SEARCH_CHARS; at++) {
    const digits = digitsAt(line, at);
    if (digits === -1) continue;
    for (const form of formsAt(digits, line[at + digits] ?? "")) {
      if (form.weak !== undefined && (weak !== null || isPart(line, at, form.weak))) continue;
      const found = timeAt(line, at, form, context);
      if (found === null) continue;
      if (form.weak === undefined) return weak !== null && isNumber && isSameTime(weak, found, line) ? weak : found;
      if (form.weak === "clock" && wordsIn(line, at) === 0) return found;
      weak = found;
      isNumber = form.weak === "number";
      break;
    }
    at += Math.max(0, digits - 1);
  }
  return weak;
}

/** Reads a text that consists of a time only, such as the value of a field; null for any other. */
export function readTime(text: string, context: TimeContext): string | null {
  const value = text.trim();
  const found = findTime(value, context);
  return found !== null && found.start === 0 && found.end === value.length ? found.timestamp : null;
}

/** Returns the number of digits at a position. 0: a capital letter that may begin a month. -1: no time can begin here. */
function digitsAt(line: string, at: number): number {
  const code = line.charCodeAt(at);
  const isNumber = isDigit(code);
  if (!isNumber && !(code >= 65 && code <= 83)) return -1; // Names of months begin with A (April) to S (September).
  if (at > 0 && isGluedTo(line, at)) return -1;
  if (!isNumber) return 0;
  let digits = 1;
  while (digits < DIGITS_MAX && isDigit(line.charCodeAt(at + digits))) digits++;
  return digits;
}

/** Whether a position is inside a word, an address, or a number with separators. */
function isGluedTo(line: string, at: number): boolean {
  const before = line.charCodeAt(at - 1);
  if (isDigit(before) || (before >= 65 && before <= 90) || (before >= 97 && before <= 122)) return true;
  const isJoint = before === 46 || before === 58 || before === 45 || before === 47 || before === 95; // . : - / _
  return isJoint && at > 1 && isDigit(line.charCodeAt(at - 2));
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function timeAt(line: string, at: number, form: TimeForm, context: TimeContext): FoundTime | null {
  form.expression.lastIndex = at;
  const match = form.expression.exec(line);
  if (match === null) return null;
  const timestamp = form.read(match.groups ?? {}, context);
  return timestamp === null ? null : { start: at, end: at + match[0].length, timestamp };
}

/** Whether two times are the same moment. True if the second has no year, because its moment is then unknown. */
function isSameTime(a: FoundTime, b: FoundTime, line: string): boolean {
  if (!/\d{4}/.test(line.slice(b.start, b.end))) return true;
  return Math.abs(Date.parse(a.timestamp) - Date.parse(b.timestamp)) <= SAME_TIME_MS;
}

/** Whether a number or a time of day belongs to the message, or to an invalid date before it. */
function isPart(line: string, at: number, weak: keyof typeof WORDS_MAX): boolean {
  return wordsIn(line, at) > WORDS_MAX[weak] || (weak === "clock" && DATE_BEFORE.test(line.slice(0, at)));
}

/** Counts words of prose before a position: words in lower case with a space after them. */
function wordsIn(line: string, end: number): number {
  return line.slice(0, end).match(/(?<![^\s])[a-z]{2,}(?=\s)/g)?.length ?? 0;
}
