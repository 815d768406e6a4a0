import { isDay } from "./timestamp.ts";

const ZERO = 0x30;
/** Length of `YYYY-MM-DDTHH:MM:SS`. */
const SECONDS_END = 19;
const FRACTION_KEPT = 6;
const FRACTION_MAX = 9;
const ZONE = Buffer.from("+00:00");

/**
 * Checks the usual form of a date-time in UTC, as `normalTimestamp` does, on bytes. Returns the end of the kept part
 * (seconds with up to six digits of fraction, before `Z`), or 0 for another form or other text.
 */
export function utcEnd(bytes: Buffer, from: number, to: number): number {
  const secondsEnd = from + SECONDS_END;
  if (to <= secondsEnd || !isDateTime(bytes, from)) return 0;
  let at = secondsEnd;
  if (bytes[at] === 0x2e) {
    at += 1;
    while (isDigit(bytes[at])) at += 1;
    const digits = at - secondsEnd - 1;
    if (digits === 0 || digits > FRACTION_MAX) return 0;
  }
  if (!isUtc(bytes, at, to)) return 0;
  return Math.min(at, secondsEnd + 1 + FRACTION_KEPT);
}

function isUtc(bytes: Buffer, at: number, to: number): boolean {
  if (to - at === 1) return bytes[at] === 0x5a;
  if (to - at !== ZONE.length) return false;
  for (let i = 0; i < ZONE.length; i++) if (bytes[at + i] !== ZONE[i]) return false;
  return true;
}

function isDateTime(bytes: Buffer, from: number): boolean {
  const separated =
    bytes[from + 4] === 0x2d &&
    bytes[from + 7] === 0x2d &&
    bytes[from + 10] === 0x54 &&
    bytes[from + 13] === 0x3a &&
    bytes[from + 16] === 0x3a;
  if (!separated) return false;
  const year = twoDigits(bytes, from) * 100 + twoDigits(bytes, from + 2);
  const inDay =
    twoDigits(bytes, from + 11) <= 23 && twoDigits(bytes, from + 14) <= 59 && twoDigits(bytes, from + 17) <= 59;
  return inDay && year >= 1 && isDay(year, twoDigits(bytes, from + 5), twoDigits(bytes, from + 8));
}

/** Returns the number that two digits write; NaN for other bytes, which fails every comparison. */
function twoDigits(bytes: Buffer, at: number): number {
  return isDigit(bytes[at]) && isDigit(bytes[at + 1])
    ? ((bytes[at] as number) - ZERO) * 10 + (bytes[at + 1] as number) - ZERO
    : Number.NaN;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}
