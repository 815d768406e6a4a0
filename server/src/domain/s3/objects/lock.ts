import type { GuardedClock } from "#kernel/deletions.ts";
import { S3Error } from "../errors.ts";
import type { Bucket, DefaultRetention, Retention } from "../types/index.ts";

const DAY_MS = 86_400_000;

/** Returns the default retention of the bucket for a version that is written now. */
export function defaultRetention(bucket: Pick<Bucket, "config">, nowMs: number): Retention | undefined {
  const rule = bucket.config.objectLock?.defaultRetention;
  return rule === undefined ? undefined : { mode: rule.mode, untilMs: endOf(rule, nowMs) };
}

function endOf(rule: DefaultRetention, nowMs: number): number {
  if ("days" in rule) return nowMs + rule.days * DAY_MS;
  const end = new Date(nowMs);
  end.setUTCFullYear(end.getUTCFullYear() + rule.years);
  return end.getTime();
}

interface Locked {
  readonly retention?: Retention;
  readonly legalHold?: boolean;
}

/**
 * Whether a retention is active. While the clock is in doubt, every retention is active, because a clock that is ahead
 * must not end a lock early.
 */
export function isHeld(retention: Retention | undefined, clock: GuardedClock): boolean {
  if (retention === undefined) return false;
  const cutoff = clock.deletionTime("s3_locks");
  return cutoff === null || retention.untilMs > cutoff;
}

export function isLocked({ retention, legalHold = false }: Locked, clock: GuardedClock): boolean {
  return legalHold || isHeld(retention, clock);
}

/** @throws S3Error `AccessDenied` while a version may not be deleted */
export function requireUnlocked(detail: Locked, clock: GuardedClock, bypassGovernance: boolean): void {
  const { retention, legalHold = false } = detail;
  if (legalHold) throw new S3Error("AccessDenied", "The version is under a legal hold.");
  if (retention === undefined || !isHeld(retention, clock)) return;
  if (retention.mode === "GOVERNANCE" && bypassGovernance) return;
  throw new S3Error("AccessDenied", `The version is locked until ${new Date(retention.untilMs).toISOString()}.`);
}

/**
 * A lock can only be extended. In governance mode, a caller with the permission to bypass it can also shorten it.
 * @throws S3Error `AccessDenied`
 */
export function requireRetentionChange(
  before: Retention | undefined,
  after: Retention | null,
  options: { readonly clock: GuardedClock; readonly bypassGovernance: boolean },
): void {
  if (before === undefined || !isHeld(before, options.clock)) return;
  const isStronger = after !== null && after.untilMs >= before.untilMs && after.mode === before.mode;
  if (isStronger || (before.mode === "GOVERNANCE" && options.bypassGovernance)) return;
  throw new S3Error("AccessDenied", "The version's lock can't be shortened, or its mode changed.");
}

/** @throws S3Error `InvalidRequest` */
export function requireObjectLock(bucket: Pick<Bucket, "config">): void {
  if (bucket.config.objectLock !== undefined) return;
  throw new S3Error("InvalidRequest", "The bucket has no object lock.");
}
