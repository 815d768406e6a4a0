import { createHash } from "node:crypto";
import { sha256Hex } from "#kernel/digest.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { S3Deps } from "../deps.ts";
import { S3Error } from "../errors.ts";
import { detailColumn, tagsColumn } from "../objects/detail.ts";
import { writeAndTell } from "../objects/put.ts";
import type {
  Bucket,
  Checksum,
  CompletedPart,
  ObjectPart,
  ObjectVersion,
  S3Caller,
  S3Uploads,
} from "../types/index.ts";
import { combineChecksums } from "./crc-combine.ts";
import { digestName, digestOfBytes } from "./digest.ts";
import { dropParts } from "./abort.ts";
import { partRows, setCompleted, type PartRow } from "./store.ts";
import { anyUpload } from "./uploads.ts";
import type { UploadDetail, UploadRow } from "./view.ts";

type Completion = Parameters<S3Uploads["complete"]>[2];

const PARTS_MAX = 10_000;
const PART_BYTES_MIN = 5 * 1024 * 1024;
const OBJECT_BYTES_MAX = 5 * 1024 ** 4;

/** What is kept of an upload that is done. */
interface Result {
  /** Of the list of parts. */
  readonly digest: string;
  readonly version: ObjectVersion;
}

export async function completeUpload(
  deps: S3Deps,
  caller: S3Caller,
  bucket: Bucket,
  completion: Completion,
): Promise<ObjectVersion> {
  const { key, uploadId } = completion;
  const parts = inOrder(completion.parts);
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `s3_upload:${uploadId}`);
    const upload = await anyUpload(tx, bucket, key, uploadId);
    const digest = sha256Hex(JSON.stringify(parts.map(({ number, etag }) => [number, etag])));
    if (upload.completed_at !== null) return resultOf(upload, digest);
    const version = await makeObject(deps, tx, caller, bucket, upload, { ...completion, parts });
    const result: Result = { digest, version: { ...version, parts: null } };
    setCompleted(tx, uploadId, deps.clock.nowMs(), JSON.stringify(result));
    return version;
  });
}

function resultOf(upload: UploadRow, digest: string): ObjectVersion {
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
): Promise<ObjectVersion> {
  const { id: uploadId, org_id: orgId } = upload;
  const rows = await chosenParts(tx, uploadId, completion.parts);
  const { tags = {}, algorithm, type, initiator: _initiator, ...detail } = JSON.parse(upload.detail) as UploadDetail;
  const checksum = algorithm === undefined || type === undefined ? null : checksumOf({ algorithm, type }, rows);
  requireChecksum(completion, checksum);
  const size = rows.reduce((sum, row) => sum + row.size, 0);
  if (size > OBJECT_BYTES_MAX) throw new S3Error("EntityTooLarge");
  if (completion.size !== undefined && completion.size !== size)
    throw new S3Error("InvalidRequest", "The size of the object is not the one given.");
  const ranges = rows.map((row) => ({ blobId: row.blob_id, number: row.number }));
  const { id: blobId } = await deps.objects.compose(tx, orgId, ranges);
  await dropParts(deps, tx, upload);
  const version = {
    key: upload.key,
    blob_id: blobId,
    size,
    etag: etagOf(rows),
    owner: upload.owner,
    tags: tagsColumn(tags),
    detail: detailColumn({ ...detail, checksum }),
    parts: JSON.stringify(rows.map(objectPart)),
  };
  const { conditions } = completion;
  const name = "ObjectCreated:CompleteMultipartUpload";
  return writeAndTell(deps, tx, bucket, version, { conditions, caller, name });
}

/** Of a part that is named twice the last one counts: it came twice. @throws S3Error `InvalidPartOrder`, `MalformedXML` */
function inOrder(parts: readonly CompletedPart[]): CompletedPart[] {
  if (parts.length === 0 || parts.length > PARTS_MAX) throw new S3Error("MalformedXML");
  if (parts.some(({ number }, i) => number < (parts[i - 1]?.number ?? 1))) throw new S3Error("InvalidPartOrder");
  return parts.filter(({ number }, i) => parts[i + 1]?.number !== number);
}

/** @throws S3Error `InvalidPart`, `EntityTooSmall` */
async function chosenParts(tx: Writer, uploadId: string, parts: readonly CompletedPart[]): Promise<PartRow[]> {
  const stored = new Map(
    (await partRows(tx, uploadId, { after: 0, limit: PARTS_MAX })).map((row) => [row.number, row]),
  );
  return parts.map(({ number, etag, checksum }, i) => {
    const row = stored.get(number);
    const isOther =
      row?.etag !== etag || (checksum !== undefined && row.checksum !== null && row.checksum !== checksum);
    const fields = { UploadId: uploadId, PartNumber: String(number), ETag: etag };
    if (row === undefined || isOther) throw new S3Error("InvalidPart", undefined, { fields });
    if (i < parts.length - 1 && row.size < PART_BYTES_MIN) {
      const sizes = { ProposedSize: String(row.size), MinSizeAllowed: String(PART_BYTES_MIN) };
      throw new S3Error("EntityTooSmall", undefined, { fields: { ...fields, ...sizes } });
    }
    return row;
  });
}

/** Undefined parts have no checksum: then neither has the whole. */
function checksumOf(how: Pick<Checksum, "algorithm" | "type">, rows: readonly PartRow[]): Checksum | null {
  const parts = rows.flatMap(({ checksum, size }) => (checksum === null ? [] : [{ checksum, size }]));
  if (parts.length !== rows.length) return null;
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

function etagOf(rows: readonly PartRow[]): string {
  const digests = Buffer.concat(rows.map(({ etag }) => Buffer.from(etag, "hex")));
  return `${createHash("md5").update(digests).digest("hex")}-${rows.length}`;
}

function objectPart({ number, size, checksum, nonce }: PartRow): ObjectPart {
  return { number, size, ...(checksum === null ? {} : { checksum }), ...(nonce === null ? {} : { nonce }) };
}
