/** A time range with bounds: relative to now, or between two moments. */
export type BoundedRange =
  | { readonly kind: "last"; readonly ms: number }
  | { readonly kind: "between"; readonly from: string; readonly to: string };

/** A page's time range. */
export type TimeRange = BoundedRange | { readonly kind: "all" };

/** The parameters of an address that contain a time range. */
export interface RangeSearch extends Record<string, string | undefined> {
  range?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

export interface Bounds {
  readonly from: string;
  readonly to: string;
}

const MINUTE = 60_000;
const UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE, h: 60 * MINUTE, d: 1440 * MINUTE };

export const PRESETS: readonly (readonly [id: string, title: string])[] = [
  ["15m", "Last 15 minutes"],
  ["1h", "Last hour"],
  ["6h", "Last 6 hours"],
  ["24h", "Last 24 hours"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
];

/** Parses `15m`, `6h` or `7d`; null if it is another text. */
export function lastMs(text: string): number | null {
  const [, digits = "", unit = ""] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS_MS[unit] ?? 0);
  return ms > 0 ? ms : null;
}

/** Returns the time range of an address, or `fallback` if it has no valid one. */
export function rangeOf(search: RangeSearch, fallback = "1h"): BoundedRange {
  const { from, to } = search;
  if (from !== undefined && to !== undefined && isMoment(from) && isMoment(to) && Date.parse(from) < Date.parse(to))
    return { kind: "between", from, to };
  return { kind: "last", ms: lastMs(String(search.range ?? fallback)) ?? lastMs(fallback) ?? 60 * MINUTE };
}

/** Returns the time range of an address, or all time. A range without an end continues until now. */
export function anyRangeOf(search: RangeSearch, nowMs: number): TimeRange {
  if (search.from !== undefined && search.to === undefined)
    return rangeOf({ from: search.from, to: momentText(nowMs + 1000) });
  const hasRange = search.from !== undefined || lastMs(String(search.range ?? "")) !== null;
  return hasRange ? rangeOf(search) : { kind: "all" };
}

/** Returns the parameters that replace the time range of an address. */
export function searchOf(range: TimeRange): RangeSearch {
  if (range.kind === "all") return { range: undefined, from: undefined, to: undefined };
  return range.kind === "between"
    ? { from: range.from, to: range.to, range: undefined }
    : { range: lastText(range.ms), from: undefined, to: undefined };
}

function lastText(ms: number): string {
  const minutes = Math.round(ms / MINUTE);
  if (minutes % 1440 === 0 && minutes > 1440) return `${minutes / 1440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

/** Returns from and to for the query API. `to` is slightly in the future, to include the newest entries. */
export function boundsOf(range: BoundedRange, nowMs: number): Bounds {
  if (range.kind === "between") return { from: range.from, to: range.to };
  return { from: momentText(nowMs - range.ms), to: momentText(nowMs + 1000) };
}

export function titleOf(range: TimeRange): string {
  if (range.kind === "all") return "All time";
  if (range.kind === "between") return `${shortText(range.from)} – ${shortText(range.to)} UTC`;
  const id = lastText(range.ms);
  return PRESETS.find(([preset]) => preset === id)?.[1] ?? `Last ${id}`;
}

/** `2026-11-20 08:00:01`, without zero parts at the end. */
export function shortText(moment: string): string {
  return moment.replace("T", " ").replace(/(?::00)?(?:\.0+)?Z$/, "");
}

/** Formats a moment in the person's time zone, shown when hovering over the UTC time. */
export function ownZoneText(moment: string, zone?: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    dateStyle: "medium",
    timeStyle: "long",
    ...(zone === undefined ? {} : { timeZone: zone }),
  });
  return format.format(new Date(moment));
}

export function momentText(ms: number): string {
  return new Date(ms).toISOString();
}

export function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
