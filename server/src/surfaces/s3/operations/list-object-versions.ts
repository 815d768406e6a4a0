import type { Answer, Context } from "../context.ts";
import { keyWriter, ownerElements, pageMax, xmlTime } from "../wire/text.ts";
import { renderDocument } from "../wire/xml.ts";
import { objectElements } from "./list-objects.ts";

/** Every version and delete marker; of a bucket without versions every object as the version `null`. */
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
