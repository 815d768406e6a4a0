import type { Writer } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { addUsage } from "../objects/store.ts";
import type { Bucket, S3Caller } from "../types/index.ts";
import { deleteParts, deleteUpload, openUploadIds } from "./store.ts";
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

/** Takes an upload away with what has come of it. The caller holds its lock. */
export async function dropUpload(
  deps: Pick<S3Deps, "metadata" | "objects">,
  tx: Writer,
  upload: { readonly id: string; readonly bucket: string; readonly org_id: string },
): Promise<void> {
  await dropParts(deps, tx, upload);
  deleteUpload(tx, upload.id);
}

/** Takes away all uploads that nobody ended: they keep no bucket from being deleted. */
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

/** Lets go of an upload's parts; what they took up counts no more. */
export async function dropParts(
  deps: Pick<S3Deps, "metadata" | "objects">,
  tx: Writer,
  { id, bucket, org_id }: { readonly id: string; readonly bucket: string; readonly org_id: string },
): Promise<void> {
  const parts = await deleteParts(tx, id);
  if (parts.length === 0) return;
  await deps.objects.unlink(
    tx,
    org_id,
    parts.map((part) => part.blob_id),
  );
  const bytes = parts.reduce((sum, part) => sum + part.size, 0);
  addUsage(deps.metadata.dialect, tx, { org_id, bucket }, { objects: 0, bytes: -bytes, writes: 0 });
}
