import { bytesInJson, type Writer } from "#stores/metadata/index.ts";
import { S3Error } from "../../errors.ts";
import { NULL_VERSION, type Bucket, type DeleteObject, type VersioningState } from "../../types/index.ts";
import type { CurrentRow } from "../store.ts";
import type { WriteDeps } from "../version.ts";
import { keysForWrite, newestOfKeys, versionsOfKeys, type PastRow, type VersionRow } from "./store.ts";

export interface KeyState {
  readonly versioning: VersioningState;
  readonly current: Omit<CurrentRow, "detail"> | undefined;
  /** The newest version, marker or object; undefined when there is none. */
  readonly newest: Pick<PastRow, "seq" | "etag" | "size" | "modified_at"> | undefined;
  /** The null version, if it is in the history and a bucket with suspended versioning has to replace it. */
  readonly past: Pick<PastRow, "seq" | "blob_id" | "size"> | undefined;
}

/** The distinct keys of a list of objects. */
export interface Keys {
  readonly names: readonly string[];
  /** The keys, encoded for statements. */
  readonly written: readonly string[];
  /** For each object, the index of its key. */
  readonly places: readonly number[];
}

/**
 * Collects distinct keys. The objects are sorted by key, so equal keys are neighbours. This is faster than a map,
 * which took 1.5 ms for a thousand long keys.
 */
export function keysOf(objects: readonly DeleteObject[]): Keys {
  const names: string[] = [];
  const places = objects.map(({ key }) => {
    if (key !== names.at(-1)) names.push(key);
    return names.length - 1;
  });
  return { names, written: names.map(bytesInJson), places };
}

/**
 * Locks keys until the end of the transaction, and reads the current state of each, in their order.
 * @throws S3Error `NoSuchBucket`
 */
export async function statesOf(
  { metadata }: WriteDeps,
  tx: Writer,
  bucket: Bucket,
  { names, written }: Keys,
): Promise<KeyState[]> {
  await lockKeys({ metadata }, tx, bucket, names);
  const places = written.map((key, n) => ({ n, key }));
  const rows = await keysForWrite(metadata.dialect, tx, bucket.id, places);
  if (rows.length === 0) throw new S3Error("NoSuchBucket", undefined, { fields: { BucketName: bucket.name } });
  const versioning = rows[0]?.versioning ?? "unversioned";
  const present = new Map<number, CurrentRow>();
  for (const row of rows) if (row.n !== null) present.set(row.n, row as unknown as CurrentRow);
  const isVersioned = versioning !== "unversioned";
  const absent = isVersioned ? places.filter(({ n }) => !present.has(n)) : [];
  const newest = byPlace(await newestOfKeys(metadata.dialect, tx, bucket.id, absent));
  const nulls = versioning === "suspended" ? await nullVersions({ metadata }, tx, bucket, places, present) : new Map();
  return places.map(({ n }) => {
    const current = present.get(n);
    return { versioning, current, newest: current ?? newest.get(n), past: nulls.get(n) as PastRow | undefined };
  });
}

async function lockKeys(
  { metadata }: Pick<WriteDeps, "metadata">,
  tx: Writer,
  bucket: Bucket,
  keys: readonly string[],
): Promise<void> {
  if (metadata.dialect === "sqlite") return; // a transaction locks the whole database
  const names = keys.map((key) => `s3:${bucket.id}:${Buffer.from(key, "utf8").toString("latin1")}`);
  await metadata.lock(tx, ...names);
}

async function nullVersions(
  { metadata }: Pick<WriteDeps, "metadata">,
  tx: Writer,
  bucket: Bucket,
  places: readonly { readonly n: number; readonly key: string }[],
  present: ReadonlyMap<number, CurrentRow>,
): Promise<Map<number, VersionRow>> {
  const asked = places
    .filter(({ n }) => present.get(n)?.version_id !== NULL_VERSION)
    .map((place) => ({ ...place, version_id: NULL_VERSION }));
  return byPlace(await versionsOfKeys(metadata.dialect, tx, bucket.id, asked));
}

/** Reads the versions that the objects name, by index. Absent versions have no entry. */
export async function versionsNamed(
  { metadata }: Pick<WriteDeps, "metadata">,
  tx: Writer,
  bucket: Bucket,
  asked: readonly { readonly n: number; readonly key: string; readonly version_id: string }[],
): Promise<Map<number, VersionRow>> {
  return byPlace(await versionsOfKeys(metadata.dialect, tx, bucket.id, asked));
}

function byPlace<R extends { readonly n: number }>(rows: readonly R[]): Map<number, R> {
  return new Map(rows.map((row) => [row.n, row]));
}
