import { newId } from "#kernel/ids.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { detailColumn, keyBytes, keyText } from "../objects/detail.ts";
import { attributesOf, requireKey } from "../objects/put.ts";
import { holdBucket } from "../objects/store.ts";
import type { Bucket, ChecksumType, NewUpload, S3Caller, Upload, UploadedPart } from "../types/index.ts";
import { insertUpload, partRows, uploadById, type PartRow } from "./store.ts";
import { uploadOf, type UploadDetail, type UploadRow } from "./view.ts";

export async function createUpload(deps: S3Deps, caller: S3Caller, bucket: Bucket, upload: NewUpload): Promise<Upload> {
  requireKey(upload.key);
  const nowMs = deps.clock.nowMs();
  const { owner, detail } = attributesOf(caller, bucket, upload, nowMs);
  const type = typeOf(upload);
  const { checksumAlgorithm: algorithm = null, sse = null } = upload;
  const { principal } = caller;
  const initiator = principal.kind === "key" ? principal.owner : undefined;
  const kept: UploadDetail = {
    ...detail,
    tags: upload.tags,
    ...(algorithm === null || type === null ? {} : { algorithm, type }),
    ...(sse === null ? {} : { sse }),
    ...(initiator === undefined || initiator.id === bucket.owner.id ? {} : { initiator }),
  };
  const row: UploadRow = {
    id: newId("upl", nowMs),
    bucket: bucket.id,
    org_id: bucket.orgId,
    key: keyBytes(upload.key),
    created_at: nowMs,
    owner,
    detail: detailColumn(kept),
    completed_at: null,
    result: null,
  };
  await deps.metadata.write(async (tx) => {
    if (!(await holdBucket(deps.metadata.dialect, tx, bucket.id))) throw new S3Error("NoSuchBucket");
    await insertUpload(tx, row);
  });
  return uploadOf(row, bucket);
}

/**
 * Returns the type of the checksum: composite, unless the algorithm can combine the checksums of parts.
 * @throws S3Error `InvalidRequest`
 */
function typeOf({ checksumAlgorithm = null, checksumType = null }: NewUpload): ChecksumType | null {
  if (checksumAlgorithm === null) {
    if (checksumType !== null)
      throw new S3Error(
        "InvalidRequest",
        "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.",
      );
    return null;
  }
  const isHash = checksumAlgorithm === "SHA1" || checksumAlgorithm === "SHA256";
  const type = checksumType ?? (checksumAlgorithm === "CRC64NVME" ? "FULL_OBJECT" : "COMPOSITE");
  if ((isHash && type === "FULL_OBJECT") || (checksumAlgorithm === "CRC64NVME" && type === "COMPOSITE"))
    throw new S3Error(
      "InvalidRequest",
      `The ${type} checksum type cannot be used with the ${checksumAlgorithm.toLowerCase()} checksum algorithm.`,
    );
  return type;
}

export async function findUpload(
  deps: Pick<S3Deps, "metadata">,
  bucket: Bucket,
  key: string,
  uploadId: string,
): Promise<Upload> {
  const row = await openUpload(deps.metadata.read, bucket, key, uploadId);
  return uploadOf(row, bucket);
}

/** Finds an open upload. @throws S3Error `NoSuchUpload`, also for another key or bucket, and for a completed upload */
export async function openUpload(db: Reader, bucket: Bucket, key: string, uploadId: string): Promise<UploadRow> {
  const row = await anyUpload(db, bucket, key, uploadId);
  if (row.completed_at !== null) throw noSuchUpload(uploadId);
  return row;
}

export async function anyUpload(db: Reader, bucket: Bucket, key: string, uploadId: string): Promise<UploadRow> {
  const row = await uploadById(db, uploadId);
  if (row === undefined || row.bucket !== bucket.id || keyText(row.key) !== key) throw noSuchUpload(uploadId);
  return row;
}

function noSuchUpload(uploadId: string): S3Error {
  return new S3Error("NoSuchUpload", undefined, { fields: { UploadId: uploadId } });
}

export async function listParts(
  deps: Pick<S3Deps, "metadata">,
  upload: Upload,
  page: { readonly after: number; readonly max: number },
): Promise<{ parts: UploadedPart[]; next: number | null }> {
  const { after, max } = page;
  const rows = await partRows(deps.metadata.read, upload.id, { after, limit: max + 1 });
  const parts = rows.slice(0, max).map(partOf);
  return { parts, next: rows.length > max ? (parts.at(-1)?.number ?? null) : null };
}

export function partOf(row: PartRow): UploadedPart {
  const { number, size, etag, modified_at: modifiedAtMs, checksum } = row;
  return { number, size, etag, modifiedAtMs, checksum };
}
