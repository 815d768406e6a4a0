import type { S3Deps } from "../deps.ts";
import { detailOf } from "../objects/detail.ts";
import { isLocked } from "../objects/lock.ts";
import { addUsage, deleteCurrent, deleteHistory } from "../objects/store.ts";
import { dropOpenUploads } from "../uploads/abort.ts";

type Bucket = { readonly id: string; readonly orgId: string };

/** Versions in one transaction: few, so that requests don't wait long. */
const BATCH = 200;

/**
 * Deletes every version and upload of a bucket for good. It works in steps, which can be repeated. Returns false if
 * locked versions stay.
 */
export async function eraseBucket(
  deps: Pick<S3Deps, "metadata" | "objects" | "clock">,
  bucket: Bucket,
  signal: AbortSignal,
): Promise<boolean> {
  await deps.metadata.write((tx) => dropOpenUploads(deps, tx, bucket));
  for (const table of ["s3_object", "s3_history"] as const)
    for (;;) {
      signal.throwIfAborted();
      const { read, gone } = await eraseSome(deps, bucket, table);
      if (gone < read) return false;
      if (read < BATCH) break;
    }
  return true;
}

async function eraseSome(
  deps: Pick<S3Deps, "metadata" | "objects" | "clock">,
  { id, orgId }: Bucket,
  table: "s3_object" | "s3_history",
): Promise<{ readonly read: number; readonly gone: number }> {
  return deps.metadata.write(async (tx) => {
    const query = tx.selectFrom(table).select(["bucket", "key", "seq", "blob_id", "size", "detail"]);
    const rows = await query.where("bucket", "=", id).orderBy("key").orderBy("seq").limit(BATCH).execute();
    const free = rows.filter((row) => !isLocked(detailOf(row), deps.clock));
    for (const row of free)
      if (table === "s3_object") deleteCurrent(tx, id, row.key);
      else deleteHistory(tx, row);
    const blobs = free.flatMap(({ blob_id: blob }) => (blob === null ? [] : [blob]));
    if (blobs.length > 0) await deps.objects.unlink(tx, orgId, blobs);
    const bytes = free.reduce((sum, { size }) => sum + size, 0);
    const place = { org_id: orgId, bucket: id };
    if (free.length > 0) addUsage(deps.metadata.dialect, tx, place, { objects: -blobs.length, bytes: -bytes });
    return { read: rows.length, gone: free.length };
  });
}
