import type { Answer, Context } from "../context.ts";
import { keyWriter, ownerElements, pageMax, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";

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
