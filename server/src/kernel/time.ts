/** Only this file reads the clock. All other code gets a `Clock`. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/** Formats milliseconds since the epoch as ISO 8601 UTC with milliseconds, for example `2026-11-20T08:00:00.000Z`. */
export function isoFromMs(ms: number): string {
  return new Date(ms).toISOString();
}

/** Formats microseconds in the same way, cut to the millisecond. */
export function isoFromUs(us: number): string {
  return isoFromMs(Math.floor(us / 1000));
}

/** A moment: whole seconds since the epoch, and nanoseconds after them. */
export interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}

const DATE = String.raw`(?<year>\d{4})(?:-(?<month>\d\d)-(?<day>\d\d)|-?W(?<week>\d\d)-?(?<weekday>[1-7])|-?(?<ordinal>\d{3})|(?<month2>\d\d)(?<day2>\d\d))`;
const TIME = String.raw`(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d))?)?(?:[.,](?<fraction>\d+))?`;
const ZONE = String.raw`(?:Z|(?<sign>[+\u2212-])(?<hours>\d\d)(?::?(?<minutes>\d\d))?)`;
const DATE_TIME = new RegExp(`^${DATE}T${TIME}${ZONE}$`, "i");
const CHARS_MAX = 64;

const DAY_S = 86_400;
const NANOS = 1_000_000_000n;
/** 0001-01-01 and 10000-01-01, in seconds since the epoch. */
const FROM_S = -62_135_596_800;
const TO_S = 253_402_300_800;

type Parts = Readonly<Record<string, string | undefined>>;

/**
 * Parses a date-time with its offset from UTC, in any form of ISO 8601 and RFC 3339: extended or basic; to the hour,
 * the minute or the second, with a decimal fraction; calendar, week or ordinal dates; lower-case letters; `24:00` for
 * the end of a day. A leap second becomes the next second. Digits below a nanosecond are cut off. Undefined for
 * anything else, and for years outside 1 to 9999.
 */
export function momentOf(text: string): Moment | undefined {
  const parts = text.length > CHARS_MAX ? undefined : DATE_TIME.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const days = daysOf(parts);
  const time = timeOf(parts);
  const offsetS = offsetOf(parts);
  if (days === undefined || time === undefined || offsetS === undefined) return undefined;
  const seconds = days * DAY_S + time.seconds - offsetS;
  // Leap seconds are only at the end of a day in UTC, at any offset.
  if (time.isLeap && seconds % DAY_S !== 0) return undefined;
  return seconds >= FROM_S && seconds < TO_S ? { seconds, nanos: time.nanos } : undefined;
}

/** Returns days since the epoch; undefined for a day that does not exist. */
function daysOf({ year, month, month2, day, day2, week, weekday, ordinal }: Parts): number | undefined {
  const y = Number(year);
  if (week !== undefined) return daysOfWeek(y, Number(week), Number(weekday));
  const [m, d] = ordinal === undefined ? [Number(month ?? month2), Number(day ?? day2)] : [1, Number(ordinal)];
  const days = daysFrom(y, m, d);
  const date = new Date(days * DAY_S * 1000);
  const isDay = ordinal === undefined ? date.getUTCMonth() === m - 1 && date.getUTCDate() === d : d >= 1;
  return isDay && date.getUTCFullYear() === y ? days : undefined;
}

/** ISO 8601 weeks begin on Monday. The first week of a year contains 4 January. */
function daysOfWeek(year: number, week: number, weekday: number): number | undefined {
  const firstOf = (y: number): number => {
    const fourth = daysFrom(y, 1, 4);
    return fourth - ((((fourth + 3) % 7) + 7) % 7);
  };
  const days = firstOf(year) + (week - 1) * 7 + weekday - 1;
  return week >= 1 && days < firstOf(year + 1) ? days : undefined;
}

function daysFrom(year: number, month: number, day: number): number {
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  return new Date(0).setUTCFullYear(year, month - 1, day) / (DAY_S * 1000);
}

function timeOf(parts: Parts): { seconds: number; nanos: number; isLeap: boolean } | undefined {
  const { hour, minute, second, fraction = "" } = parts;
  const [h, m, s] = [Number(hour), Number(minute ?? 0), Number(second ?? 0)];
  const unit = second === undefined ? (minute === undefined ? 3600n : 60n) : 1n;
  const digits = fraction.slice(0, 18);
  const more = (BigInt(digits === "" ? 0 : digits) * unit * NANOS) / 10n ** BigInt(digits.length);
  const isEnd = h === 24 && m === 0 && s === 0 && more === 0n;
  if ((h > 23 && !isEnd) || m > 59 || s > 60) return undefined;
  const seconds = h * 3600 + m * 60 + s + Number(more / NANOS);
  return { seconds, nanos: Number(more % NANOS), isLeap: s === 60 };
}

function offsetOf({ sign, hours, minutes }: Parts): number | undefined {
  if (sign === undefined) return 0;
  const [h, m] = [Number(hours), Number(minutes ?? 0)];
  return h > 23 || m > 59 ? undefined : (sign === "+" ? 1 : -1) * (h * 3600 + m * 60);
}

/** Whether a text is a date-time; see `momentOf`. */
export function isDateTime(text: string): boolean {
  return momentOf(text) !== undefined;
}

/** Returns the milliseconds since the epoch of a date-time, cut to the millisecond; NaN for other text. */
export function msFromIso(text: string): number {
  const moment = momentOf(text);
  return moment === undefined ? Number.NaN : moment.seconds * 1000 + Math.floor(moment.nanos / 1_000_000);
}

/** Like `msFromIso`, in microseconds. `round` rounds the nanoseconds. */
export function usFromIso(text: string, round: (value: number) => number = Math.floor): number {
  const moment = momentOf(text);
  return moment === undefined ? Number.NaN : moment.seconds * 1_000_000 + round(moment.nanos / 1000);
}

/** Formats a date-time as `YYYY-MM-DDTHH:MM:SS.ffffffZ`, nanoseconds cut off; undefined for other text. */
export function isoWithMicros(text: string): string | undefined {
  const moment = momentOf(text);
  if (moment === undefined) return undefined;
  const micros = String(Math.floor(moment.nanos / 1000)).padStart(6, "0");
  return `${isoFromMs(moment.seconds * 1000).slice(0, 19)}.${micros}Z`;
}

/** Whether an end has passed. Null means never. */
export function hasPassed(endMs: number | null, nowMs: number): boolean {
  return endMs !== null && endMs <= nowMs;
}

/** Returns the earliest of these times. Null means never. */
export function earliest(...times: readonly (number | null)[]): number | null {
  const set = times.filter((time) => time !== null);
  return set.length === 0 ? null : Math.min(...set);
}
