import { requireQuota, requireScopes, shortageText, type Quota, type Shortage } from "#domain/quotas/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";

/** The quota for an organization's objects, all versions, and parts of uploads. */
export function objectQuota({ storedBytesMax }: Pick<S3Deps["settings"], "storedBytesMax">): Quota {
  return { kind: "objects", defaultMax: storedBytesMax, refusal: () => new S3Error("QuotaExceeded") };
}

/**
 * Call it in the transaction that counts the bytes. On PostgreSQL, other writes of the organization wait until it ends.
 * @throws S3Error `QuotaExceeded`
 */
export async function requireObjectQuota(
  { metadata, settings }: Pick<S3Deps, "metadata" | "settings">,
  tx: Writer,
  {
    id: bucketId,
    orgId,
    projectId,
  }: { readonly id: string; readonly orgId: string; readonly projectId: string | null },
  bytes: number,
): Promise<void> {
  const place = { orgId, projectId, bucketId };
  const refusal = (shortage: Shortage) => new S3Error("QuotaExceeded", shortageText(shortage));
  await requireScopes(metadata, tx, { place, bytes, refusal });
  if (settings.storedBytesMax === null || bytes === 0) return;
  await metadata.lock(tx, `s3_usage:${orgId}`);
  await requireQuota(tx, objectQuota(settings), { orgId, bytes });
}
