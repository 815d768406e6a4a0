import type { Answer, Context } from "../context.ts";
import { keyWriter, ownerElements, pageMax, quoted, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import { uploadIdOf } from "./upload-part.ts";

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
