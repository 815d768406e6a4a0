import { isoFromMs } from "#kernel/time.ts";
import { fixedOffsetMs, type Zone } from "./zone.ts";

/** A time as a line shows it. */
export interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** Digits after the second, without the point; empty for none. */
  readonly fraction: string;
  /** `Z`, `UTC`, `+0100`; undefined when the line has none. */
  readonly offset?: string | undefined;
}

/** What a line does not say about its time. */
export interface TimeContext {
  readonly zone: Zone;
  /** The year of a month and day; lines of syslog have none. */
  yearOf(month: number, day: number): number;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY_MS = 86_400_000;

/** 1 to 12 for `Jan` to `Dec`; 0 for anything else. */
export function monthOf(name: string): number {
  return MONTHS.indexOf(name.toLowerCase()) + 1;
}

/** ISO 8601 in UTC with the digits that the line has; null when there is no such day or time. */
export function timestampOf(civil: Civil, zone: Zone): string | null {
  // A leap second has no place in Unix time: it becomes the end of the second before.
  const leap = civil.second === 60;
  const second = leap ? 59 : civil.second;
  const localMs = Date.UTC(civil.year, civil.month - 1, civil.day, civil.hour, civil.minute, second);
  const back = new Date(localMs);
  const real =
    civil.year >= 1000 &&
    back.getUTCMonth() === civil.month - 1 &&
    back.getUTCDate() === civil.day &&
    back.getUTCHours() === civil.hour &&
    back.getUTCMinutes() === civil.minute &&
    back.getUTCSeconds() === second;
  if (!real) return null;
  const offsetMs = civil.offset === undefined ? zone.offsetMs(localMs) : fixedOffsetMs(civil.offset.trim());
  if (offsetMs === null) return null;
  return withFraction(localMs - offsetMs, leap ? "999999" : civil.fraction);
}

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by their size; null when it is none of them. */
export function timestampOfEpoch(whole: string, fraction: string): string | null {
  if (!/^\d{10}(?:\d{3}|\d{6}|\d{9})?$/.test(whole)) return null;
  return withFraction(Number(whole.slice(0, 10)) * 1000, whole.slice(10) + fraction);
}

function withFraction(ms: number, fraction: string): string {
  const digits = fraction.slice(0, 9);
  return `${isoFromMs(ms).slice(0, 19)}${digits === "" ? "" : `.${digits}`}Z`;
}

/**
 * The year of lines that have none: the latest one in which the day is not after `latestMs` (a day of grace for clocks and
 * zones), which is when the file was last written.
 */
export function yearBefore(latestMs: number): TimeContext["yearOf"] {
  const latestYear = new Date(latestMs).getUTCFullYear();
  return (month, day) => (Date.UTC(latestYear, month - 1, day) > latestMs + DAY_MS ? latestYear - 1 : latestYear);
}
