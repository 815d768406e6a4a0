import {
  S3Error,
  type ChecksumAlgorithm,
  type ChecksumType,
  type Upload,
  type UploadedPart,
} from "#domain/s3/index.ts";
import type { Digests } from "#stores/objects/index.ts";
import { describeBody, keepBody, PUT_BYTES_MAX, readSmallBody, type BodyDescription, type Sealing } from "../body.ts";
import { requireKey, type Answer, type Context } from "../context.ts";
import { copySourceOf, keepCopied, type CopySource } from "../copy-source.ts";
import { encryptionOf, keyOf, newNonce, sseFields } from "../encryption.ts";
import { algorithmNamed, checksumElements, checksumFieldOf, checksumValue, digestOf } from "../wire/checksums.ts";
import { spanOf, writeConditions, type Span } from "../wire/conditions.ts";
import type { Fields } from "../wire/fields.ts";
import { showsVersions, versionField } from "../wire/object-fields.ts";
import { quoted } from "../wire/etag.ts";
import { invalidArgument, keyWriter, ownerElements, pageMax, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import { attributesOf, checksumOf } from "./put-object.ts";

export async function createMultipartUpload(context: Context): Promise<Answer> {
  const { deps, caller, bucket, fields } = context;
  const key = requireKey(context);
  const attributes = await attributesOf(context);
  const algorithm = fields.get("x-amz-checksum-algorithm");
  const checksumAlgorithm = algorithm === undefined ? null : algorithmNamed(algorithm);
  const checksumType = typeOf(fields.get("x-amz-checksum-type"));
  if (checksumType !== null && checksumAlgorithm === null)
    throw new S3Error(
      "InvalidRequest",
      "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.",
    );
  const sse = encryptionOf(context)?.info ?? null;
  const begun = { key, ...attributes, checksumAlgorithm, checksumType, sse };
  const upload = await deps.domain.uploads.create(caller, bucket, begun);
  return {
    headers: {
      ...(upload.checksumAlgorithm === null ? {} : { "x-amz-checksum-algorithm": upload.checksumAlgorithm }),
      ...(upload.checksumType === null ? {} : { "x-amz-checksum-type": upload.checksumType }),
      ...sseFields(sse),
    },
    body: renderDocument("InitiateMultipartUploadResult", { Bucket: bucket.name, Key: key, UploadId: upload.id }),
  };
}

function typeOf(text: string | undefined): ChecksumType | null {
  if (text === undefined) return null;
  const upper = text.toUpperCase();
  if (upper !== "FULL_OBJECT" && upper !== "COMPOSITE")
    throw new S3Error("InvalidRequest", "Value for x-amz-checksum-type header is invalid.");
  return upper;
}

export async function uploadPart(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key } = context;
  const number = partNumberOf(context);
  const uploadId = uploadIdOf(context);
  const upload = await deps.domain.uploads.find(bucket, key, uploadId);
  const description = withAlgorithmOf(upload, describeBody(context, PUT_BYTES_MAX));
  const sealingKey = keyOf(context, upload.sse);
  const sealing = sealingKey === null ? null : { key: sealingKey, nonce: newNonce() };
  const limits = { bytesMax: PUT_BYTES_MAX, sealing };
  const { etag, checksum } = await keepBody(context, description, limits, async ({ content, digests }) => {
    const own = checksumOf(description, digests);
    const part = { key, uploadId, number, content, checksum: own?.value ?? null, ...partSealed(sealing, digests) };
    return { ...(await deps.domain.uploads.putPart(caller, bucket, part)), checksum: own };
  });
  return {
    headers: {
      etag: quoted(etag),
      ...(checksum === null ? {} : { [checksumFieldOf(checksum.algorithm)]: checksum.value }),
      ...sseFields(upload.sse),
    },
  };
}

/** The properties of an encrypted part that its stored content does not show. */
export function partSealed(sealing: Sealing | null, digests: Digests): { etag?: string; nonce?: string } {
  if (sealing === null) return {};
  return { nonce: sealing.nonce, ...(digests.md5 === undefined ? {} : { etag: digests.md5 }) };
}

/** The checksum of a part uses the upload's algorithm. It is computed if the client did not send it. */
function withAlgorithmOf({ checksumAlgorithm: algorithm }: Upload, description: BodyDescription): BodyDescription {
  const { checksum } = description;
  if (algorithm === null || checksum?.algorithm === algorithm) return description;
  if (checksum === null) return { ...description, computes: algorithm };
  throw new S3Error(
    "InvalidRequest",
    `Checksum Type mismatch occurred, expected checksum Type: ${algorithm.toLowerCase()}, actual checksum Type: ${checksum.algorithm.toLowerCase()}`,
  );
}

/** @throws S3Error `InvalidArgument` */
export function partNumberOf({ parameter }: Context): number {
  const text = parameter("partNumber") ?? "";
  if (!/^[0-9]{1,6}$/.test(text) || Number(text) < 1 || Number(text) > 10_000)
    throw invalidArgument("partNumber", text, "must be an integer between 1 and 10000, inclusive");
  return Number(text);
}

export function uploadIdOf({ parameter }: Context): string {
  return parameter("uploadId") ?? "";
}

/** Stores an object, or a range of one, as a part. */
export async function uploadPartCopy(context: Context): Promise<Answer> {
  const { deps, bucket, key, fields } = context;
  const [number, uploadId] = [partNumberOf(context), uploadIdOf(context)];
  const upload = await deps.domain.uploads.find(bucket, key, uploadId);
  const source = await copySourceOf(context);
  const span = rangeOfSource(fields.get("x-amz-copy-source-range"), source.version.size);
  const copied = await copiedPart(context, source, { upload, number, span });
  const elements = {
    ETag: quoted(copied.etag),
    LastModified: xmlTime(copied.modifiedAtMs),
    ...(upload.checksumAlgorithm === null ? {} : { [`Checksum${upload.checksumAlgorithm}`]: copied.checksum }),
  };
  const { versionId } = source.version;
  const shown = showsVersions(source.bucket) ? { "x-amz-copy-source-version-id": versionId } : {};
  return { headers: { ...shown, ...sseFields(upload.sse) }, body: renderDocument("CopyPartResult", elements) };
}

interface CopiedPart {
  readonly upload: Upload;
  readonly number: number;
  readonly span: Span | undefined;
}

/** Shares the source's content if neither side is encrypted. */
async function copiedPart(
  context: Context,
  source: CopySource,
  { upload, number, span }: CopiedPart,
): Promise<UploadedPart> {
  const { deps, caller, bucket, key } = context;
  const part = { key, uploadId: upload.id, number };
  if (upload.sse === null && source.version.sse === null) {
    const range = span === undefined ? {} : { range: span };
    return deps.domain.uploads.copyPart(caller, bucket, { ...part, source: source.version, ...range });
  }
  const sealingKey = keyOf(context, upload.sse);
  const sealing = sealingKey === null ? null : { key: sealingKey, nonce: newNonce() };
  const computes = upload.checksumAlgorithm ?? undefined;
  const wanted = ["md5" as const, ...(computes === undefined ? [] : [digestOf(computes)])];
  const options = { sealing, digests: wanted, ...(span === undefined ? {} : { span }) };
  return keepCopied(context, source, options, ({ content, digests }) => {
    const checksum =
      checksumOf({ checksum: null, ...(computes === undefined ? {} : { computes }) }, digests)?.value ?? null;
    return deps.domain.uploads.putPart(caller, bucket, { ...part, content, checksum, ...partSealed(sealing, digests) });
  });
}

/** Unlike the range of a read, this range must have both ends and lie within the source. */
function rangeOfSource(text: string | undefined, size: number): Span | undefined {
  if (text === undefined) return undefined;
  const [, first, last] = /^bytes=([0-9]{1,15})-([0-9]{1,15})$/.exec(text) ?? [];
  if (first === undefined || last === undefined || Number(last) < Number(first))
    throw invalidArgument(
      "x-amz-copy-source-range",
      text,
      "must be like bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy",
    );
  if (Number(last) >= size)
    throw new S3Error("InvalidRange", `Range specified is not valid for source object of size: ${size}`);
  return spanOf(text, size);
}

const BODY_BYTES_MAX = 4 * 1024 * 1024;

/** Creates the object from the parts. A repeated request with the same parts gets the same answer. */
export async function completeMultipartUpload(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, fields, auth } = context;
  const whole = checksumOfWhole(fields);
  // The checksum in the header belongs to the object, not to the XML document in the body.
  const bytes = await readSmallBody(
    { ...context, fields: fields.without((name) => isChecksumField(name)), auth },
    BODY_BYTES_MAX,
  );
  const parts = await deps.documents.read("completion", bytes);
  const size = fields.get("x-amz-mp-object-size");
  const version = await deps.domain.uploads.complete(caller, bucket, {
    key,
    uploadId: uploadIdOf(context),
    parts,
    checksum: whole,
    conditions: writeConditions(fields),
    ...(size === undefined || !/^[0-9]{1,15}$/.test(size) ? {} : { size: Number(size) }),
  });
  const body = renderDocument("CompleteMultipartUploadResult", {
    Location: `${deps.settings.endpoint}/${bucket.name}/${encodeURI(key)}`,
    Bucket: bucket.name,
    Key: key,
    ETag: quoted(version.etag),
    ...checksumElements(version.checksum),
  });
  return { headers: { ...versionField(bucket, version.versionId), ...sseFields(version.sse) }, body };
}

function isChecksumField(name: string): boolean {
  return name.startsWith("x-amz-checksum-") || name === "x-amz-sdk-checksum-algorithm";
}

function checksumOfWhole(fields: Fields): { algorithm: ChecksumAlgorithm; value: string } | null {
  const name = fields.names().find((field) => /^x-amz-checksum-(?!type$|algorithm$|mode$)/.test(field));
  const value = name === undefined ? undefined : fields.get(name);
  if (name === undefined || value === undefined) return null;
  const algorithm = algorithmNamed(name.slice("x-amz-checksum-".length));
  checksumValue(algorithm, value.replace(/-[0-9]+$/, ""));
  return { algorithm, value };
}

export async function abortMultipartUpload(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key } = context;
  await deps.domain.uploads.abort(caller, bucket, key, uploadIdOf(context));
  return { status: 204 };
}

const PART_NUMBER_MAX = 10_000;

export async function listParts(context: Context): Promise<Answer> {
  const { deps, bucket, key, parameter } = context;
  const write = keyWriter(parameter("encoding-type"));
  const upload = await deps.domain.uploads.find(bucket, key, uploadIdOf(context));
  const max = pageMax("max-parts", parameter("max-parts"));
  const after = pageMax("part-number-marker", parameter("part-number-marker") ?? "0", PART_NUMBER_MAX);
  const page = max === 0 ? { parts: [], next: null } : await deps.domain.uploads.parts(bucket, upload, { after, max });
  const body = renderDocument("ListPartsResult", {
    Bucket: bucket.name,
    Key: write(key),
    UploadId: upload.id,
    Initiator: ownerElements(upload.initiator),
    Owner: ownerElements(upload.owner),
    StorageClass: "STANDARD",
    PartNumberMarker: after,
    NextPartNumberMarker: page.next ?? page.parts.at(-1)?.number ?? after,
    MaxParts: max,
    IsTruncated: page.next !== null,
    ChecksumAlgorithm: upload.checksumAlgorithm,
    ChecksumType: upload.checksumType,
    Part: page.parts.map((part) => ({
      PartNumber: part.number,
      LastModified: xmlTime(part.modifiedAtMs),
      ETag: quoted(part.etag),
      Size: part.size,
      ...(upload.checksumAlgorithm === null ? {} : { [`Checksum${upload.checksumAlgorithm}`]: part.checksum }),
    })),
  });
  return { body };
}

export async function listMultipartUploads({ deps, bucket, parameter }: Context): Promise<Answer> {
  const write = keyWriter(parameter("encoding-type"));
  const [prefix, delimiter] = [parameter("prefix") ?? "", parameter("delimiter") ?? ""];
  const [keyMarker, uploadIdMarker] = [parameter("key-marker") ?? "", parameter("upload-id-marker") ?? ""];
  const max = pageMax("max-uploads", parameter("max-uploads"));
  const start = { ...(keyMarker === "" ? {} : { keyMarker }), ...(uploadIdMarker === "" ? {} : { uploadIdMarker }) };
  const page =
    max === 0
      ? { uploads: [], prefixes: [], next: null }
      : await deps.domain.listings.uploads(bucket, { prefix, delimiter, max, ...start });
  const body = renderDocument("ListMultipartUploadsResult", {
    Bucket: bucket.name,
    KeyMarker: write(keyMarker),
    UploadIdMarker: uploadIdMarker,
    NextKeyMarker: page.next === null ? undefined : write(page.next.keyMarker),
    NextUploadIdMarker: page.next?.uploadIdMarker,
    Prefix: write(prefix),
    Delimiter: delimiter === "" ? undefined : write(delimiter),
    EncodingType: parameter("encoding-type") === "url" ? "url" : undefined,
    MaxUploads: max,
    IsTruncated: page.next !== null,
    Upload: page.uploads.map((upload) => ({
      Key: write(upload.key),
      UploadId: upload.id,
      Initiator: ownerElements(upload.initiator),
      Owner: ownerElements(upload.owner),
      StorageClass: "STANDARD",
      Initiated: xmlTime(upload.initiatedAtMs),
      ChecksumAlgorithm: upload.checksumAlgorithm,
      ChecksumType: upload.checksumType,
    })),
    CommonPrefixes: page.prefixes.map((Prefix) => ({ Prefix: write(Prefix) })),
  });
  return { body };
}
