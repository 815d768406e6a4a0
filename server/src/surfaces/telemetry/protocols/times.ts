import { isoFromMs } from "#kernel/time.ts";

/** Beyond these times, a year has no four digits. */
const MS_MIN = -62_135_596_800_000;
const MS_MAX = 253_402_300_799_999;

/** Converts nanoseconds since the epoch, as decimal text; undefined for other text. Digits below a microsecond are cut. */
export function timeOfNanos(text: string): string | undefined {
  if (!/^\d{1,21}$/.test(text)) return undefined;
  const padded = text.padStart(7, "0");
  return timeOfMs(Number(padded.slice(0, -6)), padded.slice(-6, -3));
}

/** Converts whole milliseconds since the epoch and three digits of microseconds; undefined outside the years 1 to 9999. */
export function timeOfMs(ms: number, micros = "000"): string | undefined {
  if (!Number.isInteger(ms) || ms < MS_MIN || ms > MS_MAX) return undefined;
  return `${isoFromMs(ms).slice(0, -1)}${micros}Z`;
}
