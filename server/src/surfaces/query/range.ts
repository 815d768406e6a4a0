import { usFromIso } from "#kernel/time.ts";
import { Problem } from "#kernel/problem.ts";
import type { TimeRange } from "#stores/telemetry/index.ts";

/**
 * Parses the range `from` to `to` of a request. Rows have microseconds, so finer digits are rounded up: that selects
 * the same rows.
 * @throws Problem `invalid_body` with a pointer to each
 */
export function rangeOf({ from, to }: { from?: string; to?: string }): TimeRange {
  const errors: { pointer: string; detail: string }[] = [];
  const read = (pointer: string, text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    const us = usFromIso(text, Math.ceil);
    if (!Number.isSafeInteger(us)) errors.push({ pointer, detail: "must be within the years 1685 to 2254" });
    return us;
  };
  const [fromUs, toUs] = [read("/from", from), read("/to", to)];
  if (errors.length === 0 && fromUs !== undefined && toUs !== undefined && fromUs >= toUs)
    errors.push({ pointer: "/to", detail: "must be later than from" });
  if (errors.length > 0) throw new Problem("invalid_body", "The time range is empty or not valid.", { errors });
  return { fromUs, toUs };
}
