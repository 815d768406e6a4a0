import { S3Error, type ListedObject } from "#domain/s3/index.ts";
import type { Answer, Context } from "../context.ts";
import { quoted } from "../wire/etag.ts";
import { invalidArgument, keyWriter, ownerElements, pageMax, xmlTime } from "../wire/text.ts";
import { renderDocument, type Value } from "../wire/xml.ts";

/** Lists objects by the first version of S3's listing, with markers. */
export async function listObjects(context: Context): Promise<Answer> {
  const { parameter } = context;
  const marker = parameter("marker") ?? "";
  const { page, write, elements } = await pageOf(context, { after: marker });
  const hasNextMarker = page.nextMarker !== null && elements.Delimiter !== undefined;
  const body = renderDocument("ListBucketResult", {
    ...elements,
    // Clients don't decode this field, so it is not encoded.
    Prefix: parameter("prefix") ?? "",
    Marker: write(marker),
    NextMarker: hasNextMarker && page.nextMarker !== null ? write(page.nextMarker) : undefined,
    IsTruncated: page.nextMarker !== null,
    Contents: page.objects.map((object) => objectElements(object, write, true)),
    CommonPrefixes: page.prefixes.map((Prefix) => ({ Prefix: write(Prefix) })),
  });
  return { body };
}

/** Lists objects by the second version of S3's listing, with opaque tokens. */
export async function listObjectsV2(context: Context): Promise<Answer> {
  const { parameter } = context;
  if (parameter("list-type") !== "2") throw invalidArgument("list-type", parameter("list-type") ?? "", "must be 2");
  const [token, startAfter] = [parameter("continuation-token"), parameter("start-after")];
  const start = {
    ...(token === undefined || token === "" ? {} : { token }),
    ...(startAfter === undefined ? {} : { after: startAfter }),
  };
  const { page, write, elements } = await pageOf(context, start);
  const withOwner = parameter("fetch-owner")?.toLowerCase() === "true";
  const body = renderDocument("ListBucketResult", {
    ...elements,
    StartAfter: startAfter === undefined ? undefined : write(startAfter),
    ContinuationToken: token,
    NextContinuationToken: page.nextToken,
    KeyCount: page.objects.length + page.prefixes.length,
    IsTruncated: page.nextToken !== null,
    Contents: page.objects.map((object) => objectElements(object, write, withOwner)),
    CommonPrefixes: page.prefixes.map((Prefix) => ({ Prefix: write(Prefix) })),
  });
  return { body };
}

const NOTHING = { objects: [], prefixes: [], nextMarker: null, nextToken: null };

async function pageOf(context: Context, start: { readonly after?: string; readonly token?: string }) {
  const { deps, bucket, parameter } = context;
  const write = keyWriter(parameter("encoding-type"));
  const [prefix, delimiter] = [parameter("prefix") ?? "", parameter("delimiter") ?? ""];
  const max = pageMax("max-keys", parameter("max-keys"));
  if (parameter("allow-unordered") === "true" && delimiter !== "")
    throw new S3Error("InvalidArgument", "Send allow-unordered or delimiter, not both.");
  const page = max === 0 ? NOTHING : await deps.domain.listings.objects(bucket, { prefix, delimiter, max, ...start });
  const elements = {
    Name: bucket.name,
    Prefix: write(prefix),
    Delimiter: delimiter === "" ? undefined : write(delimiter),
    MaxKeys: max,
    EncodingType: parameter("encoding-type") === "url" ? "url" : undefined,
  };
  return { page, write, elements };
}

export function objectElements(object: ListedObject, write: (key: string) => string, withOwner: boolean) {
  return {
    Key: write(object.key),
    LastModified: xmlTime(object.modifiedAtMs),
    ETag: quoted(object.etag),
    ChecksumAlgorithm: object.checksumAlgorithm,
    ChecksumType: object.checksumType,
    Size: object.size,
    Owner: withOwner ? ownerElements(object.owner) : undefined,
    StorageClass: "STANDARD",
  } satisfies Value;
}

/** Lists every version and delete marker. In a bucket without versions each object has the version `null`. */
export async function listObjectVersions({ deps, bucket, parameter }: Context): Promise<Answer> {
  const write = keyWriter(parameter("encoding-type"));
  const [prefix, delimiter] = [parameter("prefix") ?? "", parameter("delimiter") ?? ""];
  const max = pageMax("max-keys", parameter("max-keys"));
  const [keyMarker, versionIdMarker] = [parameter("key-marker") ?? "", parameter("version-id-marker") ?? ""];
  const start = { ...(keyMarker === "" ? {} : { keyMarker }), ...(versionIdMarker === "" ? {} : { versionIdMarker }) };
  const page =
    max === 0
      ? { versions: [], prefixes: [], next: null }
      : await deps.domain.listings.versions(bucket, { prefix, delimiter, max, ...start });
  const of = (isDeleteMarker: boolean) => page.versions.filter((version) => version.isDeleteMarker === isDeleteMarker);
  const body = renderDocument("ListVersionsResult", {
    Name: bucket.name,
    Prefix: write(prefix),
    Delimiter: delimiter === "" ? undefined : write(delimiter),
    KeyMarker: write(keyMarker),
    VersionIdMarker: versionIdMarker,
    MaxKeys: max,
    EncodingType: parameter("encoding-type") === "url" ? "url" : undefined,
    IsTruncated: page.next !== null,
    NextKeyMarker: page.next === null ? undefined : write(page.next.keyMarker),
    NextVersionIdMarker: page.next?.versionIdMarker,
    Version: of(false).map((version) => ({
      ...objectElements(version, write, true),
      VersionId: version.versionId,
      IsLatest: version.isLatest,
    })),
    DeleteMarker: of(true).map(({ key, versionId, isLatest, modifiedAtMs, owner }) => ({
      Key: write(key),
      VersionId: versionId,
      IsLatest: isLatest,
      LastModified: xmlTime(modifiedAtMs),
      Owner: ownerElements(owner),
    })),
    CommonPrefixes: page.prefixes.map((Prefix) => ({ Prefix: write(Prefix) })),
  });
  return { body };
}
