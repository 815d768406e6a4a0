import type { Writer } from "#stores/metadata/index.ts";
import type { ByteRange, StagedBlob } from "#stores/objects/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { addUsage } from "../objects/store.ts";
import { requireObjectQuota } from "../objects/quota.ts";
import type { Bucket, ObjectVersion, S3Uploads, UploadedPart } from "../types/index.ts";
import { digestOf } from "./digest.ts";
import { partByNumber, putPartRow, type PartRow } from "./store.ts";
import { openUpload, partOf } from "./uploads.ts";
import { uploadOf } from "./view.ts";

const PART_NUMBER_MAX = 10_000;

type PutPart = Parameters<S3Uploads["putPart"]>[2];
type CopyPart = Parameters<S3Uploads["copyPart"]>[2];

export async function putPart(deps: S3Deps, bucket: Bucket, part: PutPart): Promise<UploadedPart> {
  const { content, checksum = null, nonce = null } = part;
  const etag = part.etag ?? content.digests.md5;
  try {
    if (etag === undefined) throw new Error("cannot keep a part: its content came without its MD5");
    return await keepPart(deps, bucket, part, { size: content.size, etag, checksum, nonce }, (tx) =>
      linkStaged(deps, tx, content),
    );
  } catch (error) {
    await deps.objects.discard(content);
    throw error;
  }
}

async function linkStaged(deps: S3Deps, tx: Writer, content: StagedBlob): Promise<string> {
  await deps.objects.link(tx, content.orgId, content);
  return content.id;
}

/** Does not copy the bytes. It reads them once, for the part's ETag and checksum. */
export async function copyPart(deps: S3Deps, bucket: Bucket, part: CopyPart): Promise<UploadedPart> {
  const { source } = part;
  if (source.sse !== null)
    throw new Error("cannot refer to an encrypted object: its content must be read and encrypted again");
  const range: ByteRange = part.range ?? { start: 0, end: source.size };
  const upload = uploadOf(await openUpload(deps.metadata.read, bucket, part.key, part.uploadId), bucket);
  const { etag, checksum } = await digestOf(deps, bucket.orgId, { source, range, algorithm: upload.checksumAlgorithm });
  return keepPart(deps, bucket, part, { size: range.end - range.start, etag, checksum, nonce: null }, (tx) =>
    linkRange(deps, tx, bucket, source, range),
  );
}

async function linkRange(
  deps: S3Deps,
  tx: Writer,
  bucket: Bucket,
  source: ObjectVersion,
  range: ByteRange,
): Promise<string> {
  if (range.start === 0 && range.end === source.size) {
    await deps.objects.link(tx, bucket.orgId, source.blobId);
    return source.blobId;
  }
  return (await deps.objects.compose(tx, bucket.orgId, [{ blobId: source.blobId, range }])).id;
}

/** Stores the part, and replaces another one with the same number. */
async function keepPart(
  deps: S3Deps,
  bucket: Bucket,
  { key, uploadId, number }: { readonly key: string; readonly uploadId: string; readonly number: number },
  kept: Pick<PartRow, "size" | "etag" | "checksum" | "nonce">,
  link: (tx: Writer) => Promise<string>,
): Promise<UploadedPart> {
  if (!Number.isInteger(number) || number < 1 || number > PART_NUMBER_MAX)
    throw new S3Error("InvalidArgument", `Part number must be an integer between 1 and ${PART_NUMBER_MAX}, inclusive`);
  const { metadata, objects, clock } = deps;
  const { id: bucketId, orgId } = bucket;
  return metadata.write(async (tx) => {
    await metadata.lock(tx, `s3_upload:${uploadId}`);
    await openUpload(tx, bucket, key, uploadId);
    const before = await partByNumber(tx, uploadId, number);
    await requireObjectQuota(deps, tx, bucket, kept.size);
    const blobId = await link(tx);
    const row = { ...kept, upload_id: uploadId, number, org_id: orgId, blob_id: blobId, modified_at: clock.nowMs() };
    putPartRow(tx, row);
    if (before !== undefined) await objects.unlink(tx, orgId, [before.blob_id]);
    addUsage(
      metadata.dialect,
      tx,
      { org_id: orgId, bucket: bucketId },
      { objects: 0, bytes: kept.size - (before?.size ?? 0), writes: 0 },
    );
    return partOf(row);
  });
}
