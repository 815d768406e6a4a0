const DAY_SECONDS = 86_400;
const INFINITE = 9_223_372_036_854_775_807n;

let cachedSecond = Number.NaN;
let cachedText = "";

/** Returns microseconds since the epoch as ISO 8601 UTC with 0, 3 or 6 decimals, or `infinity` / `-infinity`. */
export function isoFromMicros(micros: bigint): string {
  if (micros === INFINITE || micros === -INFINITE) return micros > 0n ? "infinity" : "-infinity";
  const value = Number(micros);
  if (!Number.isSafeInteger(value)) return fromBig(micros, 1_000_000n, 6);
  const second = Math.floor(value / 1_000_000);
  return fromParts(second, value - second * 1_000_000, 6);
}

/** Does the same for nanoseconds since the epoch. */
export function isoFromNanos(nanos: bigint): string {
  if (nanos === INFINITE || nanos === -INFINITE) return nanos > 0n ? "infinity" : "-infinity";
  return fromBig(nanos, 1_000_000_000n, 9);
}

function fromBig(value: bigint, perSecond: bigint, digits: number): string {
  const rest = value % perSecond;
  const fraction = rest < 0n ? rest + perSecond : rest;
  return fromParts(Number((value - fraction) / perSecond), Number(fraction), digits);
}

function fromParts(second: number, fraction: number, digits: number): string {
  const text = secondText(second);
  if (fraction === 0) return `${text}Z`;
  const all = String(fraction).padStart(digits, "0");
  return `${text}.${all.replace(/(?:000)+$/, "")}Z`;
}

// Telemetry rows come in order of time, so many rows can reuse the text of one second.
function secondText(second: number): string {
  if (second === cachedSecond) return cachedText;
  cachedText = calendar(second);
  cachedSecond = second;
  return cachedText;
}

/** Returns the date in the proleptic Gregorian calendar. JavaScript's Date ends in the year 275760, DuckDB's in 294247. */
function calendar(second: number): string {
  const days = Math.floor(second / DAY_SECONDS);
  const time = second - days * DAY_SECONDS;
  const shifted = days + 719_468; // days since 0000-03-01
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0);
  const date = `${yearText(year)}-${two(month < 10 ? month + 3 : month - 9)}-${two(day)}`;
  return `${date}T${two(Math.floor(time / 3600))}:${two(Math.floor(time / 60) % 60)}:${two(time % 60)}`;
}

function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}
