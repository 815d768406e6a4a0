import { msFromIso } from "#kernel/time.ts";

/**
 * Parses a client's date in milliseconds since the epoch: ISO 8601 in any form, also without a time; NaN if it is not
 * valid.
 */
export function msOfDate(text: string): number {
  const ms = msFromIso(text);
  return Number.isNaN(ms) ? Date.parse(text) : ms;
}
