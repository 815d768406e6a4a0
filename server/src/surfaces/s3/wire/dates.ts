import { msFromIso } from "#kernel/time.ts";

/** Milliseconds since the epoch of a date that a client wrote: ISO 8601 in any form, also a day alone; NaN for none. */
export function msOfDate(text: string): number {
  const ms = msFromIso(text);
  return Number.isNaN(ms) ? Date.parse(text) : ms;
}
