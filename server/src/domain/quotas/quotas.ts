import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { limitOf } from "#kernel/no-limit.ts";
import type { Reservation, Reservations } from "#kernel/reservations.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { KINDS, POLICIES, type Kind, type PolicyKind } from "./kinds.ts";
import { putStoredQuota, storedQuotaOf, usageOf } from "./store.ts";

/** The quota of one kind, and the error of its surface. */
export interface Quota {
  readonly kind: Kind;
  /** The quota of an organization for which the operator has set none. Null: no limit. */
  readonly defaultMax: number | null;
  readonly refusal: (left: number) => Error;
}

/**
 * Returns the bytes that the organization may still store. Infinite without a quota. `chosen`: the operator's quota, if
 * it is known.
 */
export async function bytesLeft(
  db: Reader,
  { kind, defaultMax }: Pick<Quota, "kind" | "defaultMax">,
  orgId: string,
  chosen?: number | null,
): Promise<number> {
  const known = chosen === undefined && kind in POLICIES ? await storedQuotaOf(db, kind as PolicyKind, orgId) : chosen;
  const limit = limitOf(known, defaultMax);
  if (limit === null) return Number.POSITIVE_INFINITY;
  const usage: Readonly<Record<string, number>> = await usageOf(db, kind, { org_id: orgId });
  const counted: readonly string[] = KINDS[kind].counted;
  return Math.max(0, limit - counted.reduce((sum, name) => sum + (usage[name] ?? 0), 0));
}

/**
 * Reserves the known bytes before they are written, until `work` has counted them or failed.
 * @throws the quota's refusal
 */
export async function reserveQuota<T>(
  { metadata, reservations }: { readonly metadata: MetadataStore; readonly reservations: Reservations },
  quota: Quota,
  options: { readonly orgId: string; readonly bytes: number; readonly left?: () => Promise<number> },
  work: (reservation: Reservation) => Promise<T>,
): Promise<T> {
  const { orgId, bytes, left = () => bytesLeft(metadata.read, quota, orgId) } = options;
  const reservation = await reservations.reserve(orgId, { left, refusal: quota.refusal }, bytes);
  try {
    return await work(reservation);
  } finally {
    reservation.release();
  }
}

/**
 * Checks the quota. Call it in the transaction that counts the bytes, because each server knows only its own
 * reservations.
 * @throws the quota's refusal
 */
export async function requireQuota(
  db: Reader,
  quota: Quota,
  { orgId, bytes, chosen }: { readonly orgId: string; readonly bytes: number; readonly chosen?: number | null },
): Promise<void> {
  if (bytes <= 0) return;
  const left = await bytesLeft(db, quota, orgId, chosen);
  if (bytes > left) throw quota.refusal(left);
}

const BY_SYSTEM = { actor: { kind: "system", id: null }, ip: null, requestId: null } as const;

/** Sets an organization's quota. Null: the server's default. Only the operator may do this. */
export async function setStoredQuota(
  deps: { readonly metadata: Pick<MetadataStore, "write" | "lock" | "notify">; readonly clock: Clock },
  kind: PolicyKind,
  orgId: string,
  storedBytesMax: number | null,
  by: Pick<AuditEvent, "actor" | "ip" | "requestId"> = BY_SYSTEM,
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    const before = await storedQuotaOf(tx, kind, orgId);
    await putStoredQuota(tx, kind, { org_id: orgId, stored_bytes_max: storedBytesMax, updated_at: deps.clock.nowMs() });
    await appendAudit(deps, tx, {
      ...by,
      orgId,
      result: "success",
      action: POLICIES[kind].action,
      target: { kind: "organization", id: orgId },
      detail: { before: { stored_bytes_max: before }, after: { stored_bytes_max: storedBytesMax } },
    });
  });
}
