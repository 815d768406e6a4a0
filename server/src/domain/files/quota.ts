import { NO_LIMIT, setStoredQuota, type Caller } from "#domain/organizations/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { policyOf, putPolicy, usageRows, type PolicyRow } from "./store.ts";

/** What an organization has, all of its projects together. */
export interface FileUsage {
  readonly files: number;
  readonly bytes: number;
  readonly grants: number;
  readonly reserved: number;
  /** Deleted, and in the trash. */
  readonly trashed_files: number;
  readonly trashed_bytes: number;
}

const NUMBERS = ["files", "bytes", "grants", "reserved", "trashed_files", "trashed_bytes"] as const;

export async function usageOf(db: Reader, orgId: string): Promise<FileUsage> {
  const usage = { files: 0, bytes: 0, grants: 0, reserved: 0, trashed_files: 0, trashed_bytes: 0 };
  for (const row of await usageRows(db, orgId)) for (const name of NUMBERS) usage[name] += row[name];
  return usage;
}

/** Bytes that the organization may still store; infinite without a quota. */
export async function bytesLeft(db: Reader, orgId: string, defaultMax: number | null): Promise<number> {
  return bytesLeftUnder(await policyOf(db, orgId), db, orgId, defaultMax);
}

/** The same, where what was decided for the organization is known. */
export async function bytesLeftUnder(
  policy: PolicyRow | undefined,
  db: Reader,
  orgId: string,
  defaultMax: number | null,
): Promise<number> {
  const chosen = policy?.stored_bytes_max ?? defaultMax;
  if (chosen === null || chosen === NO_LIMIT) return Number.POSITIVE_INFINITY;
  const { bytes, reserved, trashed_bytes: trashed } = await usageOf(db, orgId);
  return Math.max(0, chosen - bytes - trashed - reserved);
}

export function quotaExceeded(left: number): Problem {
  const detail = `Your organization may store ${left} more bytes of files; delete some for good, empty the trash, or ask the operator for more.`;
  return new Problem("storage_quota_exceeded", detail);
}

/** Null: the server's default. */
export async function fileQuotaOf(deps: { readonly metadata: MetadataStore }, orgId: string): Promise<number | null> {
  return (await policyOf(deps.metadata.read, orgId))?.stored_bytes_max ?? null;
}

const QUOTA = { action: "file.quota.update", find: policyOf, put: putPolicy };

/** For the operator alone: an organization can't give itself more. */
export async function setFileQuota(
  deps: { readonly metadata: MetadataStore; readonly clock: Clock },
  caller: Caller,
  orgId: string,
  storedBytesMax: number | null,
): Promise<void> {
  await setStoredQuota(deps, caller, QUOTA, { orgId, storedBytesMax });
}
