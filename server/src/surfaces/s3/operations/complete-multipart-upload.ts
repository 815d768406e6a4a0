import type { ChecksumAlgorithm, CompletedPart } from "#domain/s3/index.ts";
import { readSmallBody } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { sseFields } from "../encryption.ts";
import { algorithmNamed, checksumElements, checksumValue } from "../wire/checksums.ts";
import { writeConditions } from "../wire/conditions.ts";
import { versionField } from "../wire/object-fields.ts";
import { quoted, unquoted } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import type { NamedPart } from "../wire/readers.ts";
import { uploadIdOf } from "./upload-part.ts";
import type { Fields } from "../wire/fields.ts";

const BODY_BYTES_MAX = 4 * 1024 * 1024;

/** Makes the parts an object. Repeated with the same parts it gives the same answer. */
export async function completeMultipartUpload(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key, fields, auth } = context;
  const whole = checksumOfWhole(fields);
  // The checksum in the header is that of the object, and none of the document that is the body.
  const bytes = await readSmallBody(
    { ...context, fields: fields.without((name) => isChecksumField(name)), auth },
    BODY_BYTES_MAX,
  );
  const parts = (await deps.documents.read("completion", bytes)).map(partOf);
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

function partOf([number, etag, checksum]: NamedPart): CompletedPart {
  return { number, etag: unquoted(etag), ...(checksum === undefined ? {} : { checksum }) };
}
