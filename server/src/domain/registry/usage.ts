import { NO_LIMIT, setStoredQuota, type Caller } from "#domain/organizations/index.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { denied, RegistryError } from "./errors.ts";
import { addToUsage, policyOf, putPolicy, usageOf, type RegistryUsage } from "./store.ts";
import type { RegistryDeps } from "./types.ts";

/** Bytes that the organization may still push; infinite without a quota. */
export async function bytesLeft(db: Reader, orgId: string, defaultMax: number | null): Promise<number> {
  const chosen = (await policyOf(db, orgId))?.stored_bytes_max ?? defaultMax;
  if (chosen === null || chosen === NO_LIMIT) return Number.POSITIVE_INFINITY;
  const { bytes, uploading } = await usageOf(db, orgId);
  return Math.max(0, chosen - bytes - uploading);
}

/** Null: the server's default. */
export async function imageQuotaOf(deps: Pick<RegistryDeps, "metadata">, orgId: string): Promise<number | null> {
  return (await policyOf(deps.metadata.read, orgId))?.stored_bytes_max ?? null;
}

const QUOTA = { action: "image.quota.update", find: policyOf, put: putPolicy };

/** For the operator alone: an organization can't give itself more. */
export async function setImageQuota(
  deps: Pick<RegistryDeps, "metadata" | "clock">,
  caller: Caller,
  orgId: string,
  storedBytesMax: number | null,
): Promise<void> {
  await setStoredQuota(deps, caller, QUOTA, { orgId, storedBytesMax });
}

/** Adds to what the organization has. @throws RegistryError `DENIED` when that is more than it may have */
export async function takeRoom(
  tx: Writer,
  orgId: string,
  change: Partial<RegistryUsage>,
  defaultMax: number | null,
): Promise<void> {
  const { bytes = 0, uploading = 0 } = change;
  if (bytes + uploading > 0) {
    const left = await bytesLeft(tx, orgId, defaultMax);
    if (bytes + uploading > left) throw quotaExceeded(left);
  }
  await addToUsage(tx, orgId, { bytes, uploading });
}

/** A code that makes no client try again: nothing gets better by that. */
export function quotaExceeded(left: number): RegistryError {
  return new RegistryError(
    "DENIED",
    denied(`the organization may store ${left} more bytes of images; delete some, or ask the operator for more`),
  );
}

/** From this share of its quota on, an organization is warned. */
const WARN_FROM = 0.9;

/** What to warn of; undefined while there is room. */
export async function quotaWarning(db: Reader, orgId: string, defaultMax: number | null): Promise<string | undefined> {
  const left = await bytesLeft(db, orgId, defaultMax);
  if (left === Number.POSITIVE_INFINITY) return undefined;
  const { bytes, uploading } = await usageOf(db, orgId);
  const used = (bytes + uploading) / Math.max(1, bytes + uploading + left);
  return used < WARN_FROM ? undefined : `the organization has used ${Math.floor(used * 100)} % of its room for images`;
}
