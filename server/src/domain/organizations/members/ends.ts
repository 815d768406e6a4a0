import { Problem } from "#kernel/problem.ts";
import { hasPassed, isoFromMs } from "#kernel/time.ts";

/** The rules for the ends of memberships. Null: no end. */

/** Whether a new end is later than the current one. */
export function isLater(endMs: number | null, presentMs: number | null): boolean {
  return presentMs !== null && (endMs === null || endMs > presentMs);
}

/** @throws Problem `invalid_body` if the end has passed */
export function requireEnd(endMs: number | null, nowMs: number, pointer = "/expires_at"): void {
  if (!hasPassed(endMs, nowMs)) return;
  throw new Problem("invalid_body", "The end of a membership must be in the future. Remove the member to end it now.", {
    errors: [{ pointer, detail: "must be in the future" }],
  });
}

/**
 * Checks that a caller gives nothing for longer than they have it. So nobody extends their own membership.
 * @param ownMs the end of the caller's membership
 * @throws Problem `forbidden`
 */
export function requireWithinEnd(ownMs: number | null, endMs: number | null): void {
  if (!isLater(endMs, ownMs)) return;
  throw new Problem(
    "forbidden",
    `Your membership ends on ${isoFromMs(ownMs ?? 0)}, so you can't give one that ends later. Ask a member without an end.`,
    { decidedBy: "role" },
  );
}

/** Returns the detail for the audit log, if the end changed. */
export function endDetail(fromMs: number | null, toMs: number | null): Record<string, unknown> {
  const text = (end: number | null): string | null => (end === null ? null : isoFromMs(end));
  return fromMs === toMs ? {} : { expires_at: { from: text(fromMs), to: text(toMs) } };
}
