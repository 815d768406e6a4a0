import type { Tables } from "#stores/metadata/index.ts";
import { keyText, ownerOf, type Detail } from "../objects/detail.ts";
import type { Bucket, ChecksumAlgorithm, ChecksumType, S3Owner, Tags, Upload } from "../types/index.ts";

export type UploadRow = Tables["s3_upload"];

/** The part of an upload that is stored as JSON: the attributes of the object, and the checksums of its parts. */
export interface UploadDetail extends Detail {
  readonly tags?: Tags;
  readonly algorithm?: ChecksumAlgorithm;
  readonly type?: ChecksumType;
  /** The person or key that began the upload, when the object will have another owner. */
  readonly initiator?: S3Owner;
}

export function uploadOf(
  row: Pick<UploadRow, "id" | "key" | "created_at" | "owner" | "detail">,
  bucket: Pick<Bucket, "owner">,
): Upload {
  const { algorithm, type, sse, initiator } = JSON.parse(row.detail) as UploadDetail;
  const owner = ownerOf(row.owner, bucket.owner);
  return {
    id: row.id,
    key: keyText(row.key),
    initiatedAtMs: row.created_at,
    owner,
    initiator: initiator ?? owner,
    checksumAlgorithm: algorithm ?? null,
    checksumType: type ?? null,
    sse: sse ?? null,
  };
}
