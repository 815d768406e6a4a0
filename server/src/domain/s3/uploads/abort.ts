import type { Writer } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { addUsage } from "../objects/store.ts";
import type { Bucket, S3Caller } from "../types/index.ts";
import { contentOfParts, deleteParts, deleteUpload, openUploadIds } from "./store.ts";
import { openUpload } from "./uploads.ts";

export async function abortUpload(
  deps: S3Deps,
  _caller: S3Caller,
  bucket: Bucket,
  { key, uploadId }: { readonly key: string; readonly uploadId: string },
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `s3_upload:${uploadId}`);
    await openUpload(tx, bucket, key, uploadId);
    await dropUpload(deps, tx, { id: uploadId, bucket: bucket.id, org_id: bucket.orgId });
  });
}

/** Deletes an upload with its received parts. The caller holds its lock. */
export async function dropUpload(
  deps: Pick<S3Deps, "metadata" | "objects">,
  tx: Writer,
  upload: { readonly id: string; readonly bucket: string; readonly org_id: string },
): Promise<void> {
  await dropParts(deps, tx, upload);
  deleteUpload(tx, upload.id);
}

/** Deletes all open uploads, because they must not keep a bucket from being deleted. */
export async function dropOpenUploads(
  deps: Pick<S3Deps, "metadata" | "objects">,
  tx: Writer,
  bucket: { readonly id: string; readonly orgId: string },
): Promise<void> {
  for (const id of await openUploadIds(tx, bucket.id)) {
    await deps.metadata.lock(tx, `s3_upload:${id}`);
    await dropUpload(deps, tx, { id, bucket: bucket.id, org_id: bucket.orgId });
  }
}

/**
 * Deletes all parts of an upload, or those that are not in the list. It unlinks their content and releases their bytes
 * from the quota.
 */
export async function dropParts(
  deps: Pick<S3Deps, "metadata" | "objects">,
  tx: Writer,
  { id, bucket, org_id }: { readonly id: string; readonly bucket: string; readonly org_id: string },
  except?: string,
): Promise<void> {
  const { dialect } = deps.metadata;
  const leaving = { uploadId: id, ...(except === undefined ? {} : { except }) };
  const { blobs, bytes } = await contentOfParts(dialect, tx, leaving);
  if (blobs.count === 0) return;
  await deps.objects.unlink(tx, org_id, blobs);
  deleteParts(dialect, tx, leaving);
  addUsage(dialect, tx, { org_id, bucket }, { objects: 0, bytes: -bytes, writes: 0 });
}
