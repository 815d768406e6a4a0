import { S3Error, type ChecksumType } from "#domain/s3/index.ts";
import { requireKey, type Answer, type Context } from "../context.ts";
import { encryptionOf, sseFields } from "../encryption.ts";
import { algorithmNamed } from "../wire/checksums.ts";
import { renderDocument } from "../wire/xml.ts";
import { attributesOf } from "./put-object.ts";

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
