import { S3Error } from "#domain/s3/index.ts";
import type { Answer, Context } from "../context.ts";
import { copySourceOf } from "../copy-source.ts";
import { spanOf } from "../wire/conditions.ts";
import { showsVersions } from "../wire/object-fields.ts";
import { invalidArgument, quoted, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import { partNumberOf, uploadIdOf } from "./upload-part.ts";

/** A part that is an object, or a range of one. */
export async function uploadPartCopy(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, fields } = context;
  const [number, uploadId] = [partNumberOf(context), uploadIdOf(context)];
  await deps.domain.uploads.find(bucket, key, uploadId);
  const source = await copySourceOf(context);
  const range = rangeOfSource(fields.get("x-amz-copy-source-range"), source.version.size);
  const part = { key, uploadId, number, source: source.version, ...(range === undefined ? {} : { range }) };
  const copied = await deps.domain.uploads.copyPart(caller, bucket, part);
  const body = renderDocument("CopyPartResult", {
    ETag: quoted(copied.etag),
    LastModified: xmlTime(copied.modifiedAtMs),
  });
  const { versionId } = source.version;
  return { headers: showsVersions(source.bucket) ? { "x-amz-copy-source-version-id": versionId } : {}, body };
}

/** Unlike the range of a read it must be whole, and within the source. */
function rangeOfSource(text: string | undefined, size: number): { start: number; end: number } | undefined {
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
