import { S3Error } from "../errors.ts";
import type { Bucket, DefaultRetention, Retention } from "../types/index.ts";

const DAY_MS = 86_400_000;

/** When a version that is written now may be deleted, by the bucket's default. */
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

export function isLocked({ retention, legalHold = false }: Locked, nowMs: number): boolean {
  return legalHold || (retention !== undefined && retention.untilMs > nowMs);
}

/** @throws S3Error `AccessDenied` while a version may not be deleted */
export function requireUnlocked(detail: Locked, nowMs: number, bypassGovernance: boolean): void {
  const { retention, legalHold = false } = detail;
  if (legalHold) throw new S3Error("AccessDenied", "The version is under a legal hold.");
  if (retention === undefined || retention.untilMs <= nowMs) return;
  if (retention.mode === "GOVERNANCE" && bypassGovernance) return;
  throw new S3Error("AccessDenied", `The version is locked until ${new Date(retention.untilMs).toISOString()}.`);
}

/** A lock only ever gets longer, unless it is of governance mode and whoever changes it may pass it. @throws S3Error `AccessDenied` */
export function requireRetentionChange(
  before: Retention | undefined,
  after: Retention | null,
  options: { readonly nowMs: number; readonly bypassGovernance: boolean },
): void {
  if (before === undefined || before.untilMs <= options.nowMs) return;
  const isStronger = after !== null && after.untilMs >= before.untilMs && after.mode === before.mode;
  if (isStronger || (before.mode === "GOVERNANCE" && options.bypassGovernance)) return;
  throw new S3Error("AccessDenied", "The version's lock can't be shortened, or its mode changed.");
}

/** @throws S3Error `InvalidRequest` */
export function requireObjectLock(bucket: Pick<Bucket, "config">): void {
  if (bucket.config.objectLock !== undefined) return;
  throw new S3Error("InvalidRequest", "The bucket has no object lock.");
}
