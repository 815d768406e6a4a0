import type { BUCKET_ROUTES, ResultOf } from "@mooring/contract";
import type { Bucket, ListedObject, ListedVersion, ObjectVersion } from "#domain/s3/index.ts";
import { isoFromMs } from "#kernel/time.ts";

export type ObjectLine = ResultOf<typeof BUCKET_ROUTES.listObjects>["items"][number];
export type VersionLine = ResultOf<typeof BUCKET_ROUTES.listObjectVersions>["items"][number];

const NOTHING = { size_bytes: null, etag: null, last_modified: null } as const;

export function objectLine({ key, size, etag, modifiedAtMs }: ListedObject): ObjectLine {
  return { kind: "object", key, size_bytes: size, etag, last_modified: isoFromMs(modifiedAtMs) };
}

export function prefixLine(key: string): ObjectLine {
  return { kind: "prefix", key, ...NOTHING };
}

export function versionLine(version: ListedVersion): VersionLine {
  const { versionId, isLatest, isDeleteMarker } = version;
  const line = objectLine(version);
  return {
    ...line,
    ...(isDeleteMarker ? { size_bytes: null, etag: null } : {}),
    kind: isDeleteMarker ? "delete_marker" : "version",
    version_id: versionId,
    is_latest: isLatest,
  };
}

export function versionPrefixLine(key: string): VersionLine {
  return { ...prefixLine(key), kind: "prefix", version_id: null, is_latest: false };
}

/** Sorts lines of a listing by the bytes of their keys. Lines with equal keys keep their order. */
export function inKeyOrder<T extends { readonly key: string }>(lines: readonly T[]): T[] {
  return lines.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}

export function objectDetail(version: ObjectVersion): ResultOf<typeof BUCKET_ROUTES.getObject> {
  const { checksum, retention, owner, parts } = version;
  return {
    key: version.key,
    version_id: version.versionId,
    is_latest: version.isLatest,
    size_bytes: version.size,
    etag: version.etag,
    last_modified: isoFromMs(version.modifiedAtMs),
    headers: headersOf(version),
    metadata: { ...version.metadata },
    tags: { ...version.tags },
    checksum: checksum === null ? null : { ...checksum },
    encryption: version.sse?.kind ?? null,
    parts: parts === null ? null : parts.length,
    retention: retention === null ? null : { mode: retention.mode, until: isoFromMs(retention.untilMs) },
    legal_hold: version.legalHold,
    owner: { id: owner.id, name: owner.displayName },
  };
}

/** Returns the stored header fields by their HTTP names. */
function headersOf({ headers }: ObjectVersion): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value]),
  );
}

export function bucketBody(
  bucket: Bucket,
  more: { readonly isPublic: boolean; readonly usage: { readonly objects: number; readonly bytes: number } },
): ResultOf<typeof BUCKET_ROUTES.getBucket> {
  return {
    app_id: bucket.id,
    bucket: bucket.name,
    project_id: bucket.projectId,
    versioning: bucket.versioning,
    object_lock: bucket.config.objectLock !== undefined,
    encryption: bucket.config.encryption?.algorithm ?? null,
    public: more.isPublic,
    versions: more.usage.objects,
    size_bytes: more.usage.bytes,
  };
}
