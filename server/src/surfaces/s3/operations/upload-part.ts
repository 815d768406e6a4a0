import { S3Error, type Upload } from "#domain/s3/index.ts";
import type { Digests } from "#stores/objects/index.ts";
import { describeBody, keepBody, PUT_BYTES_MAX, type BodyDescription, type Sealing } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { keyOf, newNonce, sseFields } from "../encryption.ts";
import { checksumFieldOf } from "../wire/checksums.ts";
import { invalidArgument, quoted } from "../wire/text.ts";
import { checksumOf } from "./put-object.ts";

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

/** What of an encrypted part can't be told from its content. */
export function partSealed(sealing: Sealing | null, digests: Digests): { etag?: string; nonce?: string } {
  if (sealing === null) return {};
  return { nonce: sealing.nonce, ...(digests.md5 === undefined ? {} : { etag: digests.md5 }) };
}

/** A part's checksum is of the upload's algorithm; one that its sender did not give is computed all the same. */
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
