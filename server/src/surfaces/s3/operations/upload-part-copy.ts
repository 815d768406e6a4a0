import { S3Error, type Upload, type UploadedPart } from "#domain/s3/index.ts";
import type { Answer, Context } from "../context.ts";
import { copySourceOf, keepCopied, type CopySource } from "../copy-source.ts";
import { keyOf, newNonce, sseFields } from "../encryption.ts";
import { digestOf } from "../wire/checksums.ts";
import { spanOf, type Span } from "../wire/conditions.ts";
import { showsVersions } from "../wire/object-fields.ts";
import { invalidArgument, quoted, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import { checksumOf } from "./put-object.ts";
import { partNumberOf, partSealed, uploadIdOf } from "./upload-part.ts";

/** A part that is an object, or a range of one. */
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

/** Shares the source's content where neither side is encrypted. */
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

/** Unlike the range of a read it must be whole, and within the source. */
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
