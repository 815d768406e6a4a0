import { S3Error, type Upload } from "#domain/s3/index.ts";
import { describeBody, PUT_BYTES_MAX, stageBody, type BodyDescription } from "../body.ts";
import type { Answer, Context } from "../context.ts";
import { checksumFieldOf } from "../wire/checksums.ts";
import { invalidArgument, quoted } from "../wire/text.ts";
import { checksumOf } from "./put-object.ts";

export async function uploadPart(context: Context): Promise<Answer> {
  const { deps, caller, bucket, key } = context;
  const number = partNumberOf(context);
  const uploadId = uploadIdOf(context);
  const upload = await deps.domain.uploads.find(bucket, key, uploadId);
  const description = withAlgorithmOf(upload, describeBody(context, PUT_BYTES_MAX));
  const content = await stageBody(context, description, PUT_BYTES_MAX);
  const checksum = checksumOf(description, content.digests);
  const part = { key, uploadId, number, content, checksum: checksum?.value ?? null };
  const { etag } = await deps.domain.uploads.putPart(caller, bucket, part);
  return {
    headers: {
      etag: quoted(etag),
      ...(checksum === null ? {} : { [checksumFieldOf(checksum.algorithm)]: checksum.value }),
    },
  };
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
