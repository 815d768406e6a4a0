import { isoFromMs } from "#kernel/time.ts";
import { fixedOffsetMs, type Zone } from "./zone.ts";

/** A time with the parts that a line has. */
export interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Digits of the fraction of a second, without the point; may be empty. */
  readonly fraction: string;
  /** `Z`, `UTC`, `+0100`; undefined when the line has none. */
  readonly offset?: string | undefined;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY_MS = 86_400_000;
const YEAR_MIN = 1000;

/** Returns 1 to 12 for names that begin with `Jan` to `Dec`; 0 for anything else. */
export function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

/** Returns ISO 8601 in UTC with the precision of the line; null when there is no such day or time. */
export function timestampOf(civil: Civil, zone: Zone): string | null {
  // Unix time has no leap seconds, so a leap second becomes the end of the second before.
  const leap = civil.second === 60;
  const second = leap ? 59 : civil.second;
  if (civil.hour > 23 || civil.minute > 59 || second > 59 || civil.year < YEAR_MIN) return null;
  if (civil.month < 1 || civil.day < 1 || civil.day > daysOf(civil.year, civil.month)) return null;
  const localMs = Date.UTC(civil.year, civil.month - 1, civil.day, civil.hour, civil.minute, second);
  const offsetMs = civil.offset === undefined ? zone.offsetMs(localMs) : fixedOffsetMs(civil.offset.trim());
  if (offsetMs === null) return null;
  return withFraction(localMs - offsetMs, leap ? "999999" : civil.fraction);
}

/**
 * Reads seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by their size; null for other
 * numbers.
 */
export function timestampOfEpoch(whole: string, fraction: string): string | null {
  if (!/^\d{10}(?:\d{3}|\d{6}|\d{9})?$/.test(whole)) return null;
  return withFraction(Number(whole.slice(0, 10)) * 1000, whole.slice(10) + fraction);
}

/** Returns the days of a month; 0 for a month that does not exist. */
function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [0, 31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
}

export function withFraction(ms: number, fraction: string): string {
  const digits = fraction.slice(0, 9);
  return `${isoFromMs(ms).slice(0, 19)}${digits === "" ? "" : `.${digits}`}Z`;
}

/** Supplies the parts of a time that a line lacks. */
export interface TimeContext {
  readonly zone: Zone;
  /** Returns the year for a month and day. */
  yearOf(month: number, day: number): number;
  /** Returns the day for a time of day, in milliseconds after midnight. */
  dayOf(timeOfDayMs: number): Pick<Civil, "year" | "month" | "day">;
}

export interface TimeContextOptions {
  readonly zone: Zone;
  /** No line is later than this: the time of the last write of the file, or the clock. */
  readonly latestMs: () => number;
  /** The year of lines without one, if it is known. */
  readonly year?: number | undefined;
}

/** A clock may be ahead by this much. A time of day that is later than that belongs to the day before. */
const GRACE_MS = 5 * 60_000;

/**
 * Supplies a missing year: the latest in which the day is not after `latestMs`, with a day of tolerance for clocks and
 * zones. Supplies a missing date: the latest on which the time is not after `latestMs`.
 */
export function createTimeContext({ zone, latestMs, year }: TimeContextOptions): TimeContext {
  return {
    zone,
    yearOf: (month, day) => {
      if (year !== undefined) return year;
      const latest = latestMs();
      const latestYear = new Date(latest).getUTCFullYear();
      return Date.UTC(latestYear, month - 1, day) > latest + DAY_MS ? latestYear - 1 : latestYear;
    },
    dayOf: (timeOfDayMs) => {
      const latest = latestMs();
      const localMs = latest + zone.offsetMs(latest);
      const midnightMs = localMs - (((localMs % DAY_MS) + DAY_MS) % DAY_MS);
      const isLater = midnightMs + timeOfDayMs > localMs + GRACE_MS;
      const day = new Date(isLater ? midnightMs - DAY_MS : midnightMs);
      return { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() };
    },
  };
}
