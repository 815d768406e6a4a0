import { isoWithMicros } from "#kernel/time.ts";

const DASH = 0x2d;
const COLON = 0x3a;
const LETTER_T = 0x54;
const ZERO = 0x30;

/** Length of `YYYY-MM-DDTHH:MM:SS`. */
const SECONDS_END = 19;
const FRACTION_DIGITS_MAX = 9;
const NO_FRACTION = ".000000Z";
const DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/**
 * Converts a date-time of ISO 8601 or RFC 3339 to `YYYY-MM-DDTHH:MM:SS.ffffffZ`; nanoseconds are cut to microseconds.
 * Undefined when it is not one, see `momentOf`. The usual form is recognized without parsing.
 */
export function normalTimestamp(text: string): string | undefined {
  return usualTimestamp(text) ?? isoWithMicros(text);
}

function usualTimestamp(text: string): string | undefined {
  const end = endOfTime(text);
  if (end === undefined || !isDateTime(text)) return undefined;
  if (end === SECONDS_END) return text.slice(0, SECONDS_END) + NO_FRACTION;
  const digits = end - SECONDS_END - 1;
  if (digits < 1 || digits > FRACTION_DIGITS_MAX || text.charCodeAt(SECONDS_END) !== 0x2e) return undefined;
  for (let at = SECONDS_END + 1; at < end; at++) if (!isDigit(text.charCodeAt(at))) return undefined;
  if (digits >= 6) return `${text.slice(0, SECONDS_END + 7)}Z`;
  return text.slice(0, end) + NO_FRACTION.slice(digits + 1);
}

/** Returns the start of the zone; undefined when it is not UTC. */
function endOfTime(text: string): number | undefined {
  if (text.length <= SECONDS_END) return undefined;
  if (text.endsWith("Z")) return text.length - 1;
  return text.endsWith("+00:00") ? text.length - 6 : undefined;
}

function isDateTime(text: string): boolean {
  const separated =
    text.charCodeAt(4) === DASH &&
    text.charCodeAt(7) === DASH &&
    text.charCodeAt(10) === LETTER_T &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON;
  if (!separated) return false;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const inDay = twoDigits(text, 11) <= 23 && twoDigits(text, 14) <= 59 && twoDigits(text, 17) <= 59;
  return inDay && year >= 1 && isDay(year, twoDigits(text, 5), twoDigits(text, 8));
}

/** Whether the Gregorian calendar has the day. False if a part is NaN. */
export function isDay(year: number, month: number, day: number): boolean {
  const days = DAYS[month] ?? 0;
  if (day < 1) return false;
  return day <= days || (day === 29 && month === 2 && isLeap(year));
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Returns the number that two digits write; NaN for other text, which fails every comparison. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at);
  const ones = text.charCodeAt(at + 1);
  return isDigit(tens) && isDigit(ones) ? (tens - ZERO) * 10 + ones - ZERO : Number.NaN;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}
