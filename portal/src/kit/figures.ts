const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** `2.9 MiB`: at most three digits; bytes have no decimals. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ""}`;
}

const COUNT = new Intl.NumberFormat("en");

/** `10,284,119`. */
export function countText(count: number): string {
  return COUNT.format(count);
}

/** `41 ms`, `2.4 s`, `3 min 5 s`, `15 min`. */
export function durationText(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? "" : ` ${rest} s`}`;
}

const STEPS: readonly (readonly [limitS: number, perS: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [60, 1, "second"],
  [3600, 60, "minute"],
  [86_400, 3600, "hour"],
  [30 * 86_400, 86_400, "day"],
  [365 * 86_400, 30 * 86_400, "month"],
  [Infinity, 365 * 86_400, "year"],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** `3 minutes ago`, `in 2 days`. */
export function relativeText(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1000;
  for (const [limitS, perS, unit] of STEPS)
    if (Math.abs(seconds) < limitS) return RELATIVE.format(Math.round(seconds / perS), unit);
  return at.toISOString();
}

/** `1 file`, `3 files`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}
