import { S3Error, type ObjectVersion } from "#domain/s3/index.ts";
import type { Answer, Context } from "../context.ts";
import { keyOf } from "../encryption.ts";
import { checksumElements } from "../wire/checksums.ts";
import { versionField } from "../wire/object-fields.ts";
import { httpTime, pageMax } from "../wire/text.ts";
import { renderDocument, type Value } from "../wire/xml.ts";

const ATTRIBUTES = new Set(["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]);

/** Those attributes that `x-amz-object-attributes` names. */
export async function getObjectAttributes(context: Context): Promise<Answer> {
  const { deps, bucket, key, versionId, fields } = context;
  const names = (fields.list("x-amz-object-attributes") ?? "").split(",").map((name) => name.trim());
  if (names.some((name) => !ATTRIBUTES.has(name)))
    throw new S3Error("InvalidArgument", "Invalid attribute name specified.");
  const version = await deps.domain.objects.head(bucket, { key, versionId });
  keyOf(context, version.sse);
  const all: Record<string, Value> = {
    ETag: version.etag,
    Checksum: version.checksum === null ? undefined : checksumElements(version.checksum),
    ObjectParts: partElements(context, version),
    StorageClass: "STANDARD",
    ObjectSize: version.size,
  };
  const asked = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
  return {
    headers: { "last-modified": httpTime(version.modifiedAtMs), ...versionField(bucket, version.versionId) },
    body: renderDocument("GetObjectAttributesResponse", asked),
  };
}

function partElements({ fields }: Context, { parts, checksum }: ObjectVersion): Value {
  if (parts === null) return undefined;
  const max = pageMax("x-amz-max-parts", fields.get("x-amz-max-parts"));
  const after = pageMax("x-amz-part-number-marker", fields.get("x-amz-part-number-marker") ?? "0", 10_000);
  const following = parts.filter(({ number }) => number > after);
  const page = following.slice(0, max);
  const isTruncated = following.length > page.length;
  return {
    PartsCount: parts.length, // as clients read it; the documentation says TotalPartsCount
    PartNumberMarker: after,
    NextPartNumberMarker: page.at(-1)?.number ?? after,
    MaxParts: max,
    IsTruncated: isTruncated,
    Part: page.map((part) => ({
      PartNumber: part.number,
      Size: part.size,
      ...(checksum === null || part.checksum === undefined ? {} : { [`Checksum${checksum.algorithm}`]: part.checksum }),
    })),
  };
}
