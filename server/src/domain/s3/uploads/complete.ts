import { createHash } from "node:crypto";
import type { Writer } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { detailColumn, tagsColumn } from "../objects/detail.ts";
import { writeAndNotify } from "../objects/put.ts";
import type { Bucket, Checksum, ObjectPart, PartList, S3Caller, S3Uploads, WrittenVersion } from "../types/index.ts";
import { combineChecksums } from "./crc-combine.ts";
import { digestName, digestOfBytes } from "./digest.ts";
import { dropParts } from "./abort.ts";
import { allParts, partRanges, setCompleted, wrongPart, type AllParts } from "./store.ts";
import { anyUpload } from "./uploads.ts";
import type { UploadDetail, UploadRow } from "./view.ts";

type Completion = Parameters<S3Uploads["complete"]>[2];

const PARTS_MAX = 10_000;
const PART_BYTES_MIN = 5 * 1024 * 1024;
const OBJECT_BYTES_MAX = 5 * 1024 ** 4;

/** The stored result of a completed upload. */
interface Result {
  /** The digest of the list of parts. */
  readonly digest: string;
  readonly version: WrittenVersion;
}

export async function completeUpload(
  deps: S3Deps,
  caller: S3Caller,
  bucket: Bucket,
  completion: Completion,
): Promise<WrittenVersion> {
  const { key, uploadId } = completion;
  requireOrder(completion.parts);
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `s3_upload:${uploadId}`);
    const upload = await anyUpload(tx, bucket, key, uploadId);
    const { digest } = completion.parts;
    if (upload.completed_at !== null) return resultOf(upload, digest);
    const version = await makeObject(deps, tx, caller, bucket, upload, completion);
    const result: Result = { digest, version };
    setCompleted(tx, uploadId, deps.clock.nowMs(), JSON.stringify(result));
    return version;
  });
}

function resultOf(upload: UploadRow, digest: string): WrittenVersion {
  const result = JSON.parse(upload.result ?? "{}") as Result;
  if (result.digest === digest) return result.version;
  throw new S3Error("NoSuchUpload", undefined, { fields: { UploadId: upload.id } });
}

async function makeObject(
  deps: S3Deps,
  tx: Writer,
  caller: S3Caller,
  bucket: Bucket,
  upload: UploadRow,
  completion: Completion,
): Promise<WrittenVersion> {
  const { id: uploadId, org_id: orgId } = upload;
  const { count, size, etags, parts } = await requiredParts(deps, tx, upload, completion.parts);
  const { tags = {}, algorithm, type, initiator: _initiator, ...detail } = JSON.parse(upload.detail) as UploadDetail;
  const checksum = algorithm === undefined || type === undefined ? null : checksumOf({ algorithm, type }, parts);
  requireChecksum(completion, checksum);
  if (size > OBJECT_BYTES_MAX) throw new S3Error("EntityTooLarge");
  if (completion.size !== undefined && completion.size !== size)
    throw new S3Error("InvalidRequest", "The size of the object differs from the given size.");
  const { id: blobId } = await deps.objects.compose(tx, orgId, partRanges(uploadId));
  await dropParts(deps, tx, upload);
  const version = {
    key: upload.key,
    blob_id: blobId,
    size,
    etag: etagOf(etags, count),
    owner: upload.owner,
    tags: tagsColumn(tags),
    detail: detailColumn({ ...detail, checksum }),
    parts,
  };
  const { conditions } = completion;
  const name = "ObjectCreated:CompleteMultipartUpload";
  return writeAndNotify(deps, tx, bucket, version, { conditions, caller, name });
}

/** @throws S3Error `InvalidPartOrder`, `MalformedXML` */
function requireOrder({ count, isInOrder }: PartList): void {
  if (count === 0 || count > PARTS_MAX) throw new S3Error("MalformedXML");
  if (!isInOrder) throw new S3Error("InvalidPartOrder");
}

/**
 * Returns the named parts, and deletes the others.
 * @throws S3Error `InvalidPart`, `EntityTooSmall`
 */
async function requiredParts(
  deps: S3Deps,
  tx: Writer,
  upload: UploadRow,
  { count, json }: PartList,
): Promise<AllParts> {
  const { dialect } = deps.metadata;
  const wrong = await wrongPart(dialect, tx, upload.id, { json, bytesMin: PART_BYTES_MIN });
  if (wrong !== undefined) {
    const { number, etag, size } = wrong;
    const fields = { UploadId: upload.id, PartNumber: String(number), ETag: etag };
    if (size === null) throw new S3Error("InvalidPart", undefined, { fields });
    const sizes = { ProposedSize: String(size), MinSizeAllowed: String(PART_BYTES_MIN) };
    throw new S3Error("EntityTooSmall", undefined, { fields: { ...fields, ...sizes } });
  }
  const all = await allParts(dialect, tx, upload.id);
  if (all.count === count) return all;
  await dropParts(deps, tx, upload, json);
  return allParts(dialect, tx, upload.id);
}

/** Computes the checksum of the object. Null: one of the parts has no checksum. @param json a list of `ObjectPart` */
function checksumOf(how: Pick<Checksum, "algorithm" | "type">, json: string): Checksum | null {
  const all = JSON.parse(json) as ObjectPart[];
  const parts = all.flatMap(({ checksum, size }) => (checksum === undefined ? [] : [{ checksum, size }]));
  if (parts.length !== all.length) return null;
  if (how.type === "FULL_OBJECT") {
    const value = combineChecksums(how.algorithm, parts);
    return value === undefined ? null : { ...how, value };
  }
  const bytes = Buffer.concat(parts.map(({ checksum }) => Buffer.from(checksum, "base64")));
  const digest = digestOfBytes(digestName(how.algorithm), bytes);
  return { ...how, value: `${Buffer.from(digest, "hex").toString("base64")}-${parts.length}` };
}

/** @throws S3Error `BadDigest` */
function requireChecksum({ checksum: given = null }: Completion, own: Checksum | null): void {
  if (given === null || own === null || own.algorithm !== given.algorithm) return;
  const plain = own.value.replace(/-\d+$/, "");
  if (given.value !== own.value && given.value !== plain) throw new S3Error("BadDigest");
}

function etagOf(digits: string, count: number): string {
  return `${createHash("md5").update(Buffer.from(digits, "hex")).digest("hex")}-${count}`;
}
