import type { SignedTime } from "./recipe.ts";

/** The range of a JavaScript date in milliseconds. */
const DATE_MS_MAX = 8.64e15;

/**
 * Returns null when the signed time is close to now, otherwise the reason. So an old request can't be replayed.
 * `toleranceS`: null for no limit.
 */
export function lateness(
  text: string,
  unit: SignedTime["unit"],
  { nowMs, toleranceS }: { readonly nowMs: number; readonly toleranceS: number | null },
): string | null {
  const atMs = millisecondsOf(text, unit);
  if (atMs === undefined) return `the signed time is not ${FORMS[unit]}`;
  if (toleranceS === null) return null;
  const offS = Math.round(nowMs / 1000) - Math.floor(atMs / 1000);
  if (Math.abs(offS) <= toleranceS) return null;
  return `the signed time is ${Math.abs(offS)} s ${offS > 0 ? "ago" : "ahead"}; ${toleranceS} s are allowed`;
}

const FORMS = {
  s: "a number of seconds",
  ms: "a number of milliseconds",
  iso: "a date and time (RFC 3339)",
} as const satisfies Record<SignedTime["unit"], string>;

function millisecondsOf(text: string, unit: SignedTime["unit"]): number | undefined {
  if (unit === "iso") {
    const atMs = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(atMs) ? undefined : atMs;
  }
  if (!(unit === "s" ? /^\d{1,12}$/ : /^\d{1,15}$/).test(text)) return undefined;
  const atMs = unit === "s" ? Number(text) * 1000 : Number(text);
  return atMs <= DATE_MS_MAX ? atMs : undefined;
}
