/** Statements for deletions of many keys. Each is the form for many keys of a statement in `../store.ts`. */
import { sql, type RawBuilder } from "kysely";
import { jsonTable, prepared, type MetadataStore, type Tables, type Writer } from "#stores/metadata/index.ts";
import type { VersioningState } from "../../types/index.ts";
import type { CurrentRow } from "../store.ts";

type Dialect = MetadataStore["dialect"];

/** A key, encoded by `bytesInJson`, with its index among the keys of the statement. */
interface Place {
  readonly n: number;
  readonly key: string;
}

interface VersionPlace extends Place {
  readonly version_id: string;
}

/** One row of a key's history. */
export interface PastKey {
  readonly key: string;
  readonly seq: number;
}

type Past = Pick<Tables["s3_history"], "seq" | "blob_id" | "size" | "etag" | "modified_at">;
export type PastRow = Past & { readonly n: number };
export type VersionRow = Past &
  Pick<Tables["s3_history"], "detail"> & { readonly n: number; readonly is_current: number };

export type Marker = PastKey & { readonly version_id: string };

const PLACES = { n: "integer", key: "bytes" } as const;
const KEYS = { key: "bytes" } as const;
const PAST_KEYS = { key: "bytes", seq: "integer" } as const;
const COLUMNS = sql.raw(
  "blob_id, bucket, key, seq, version_id, org_id, size, etag, modified_at, owner, tags, detail, parts",
);

/** Builds a statement once for each database. */
function perDialect<T>(build: (dialect: Dialect) => T): Readonly<Record<Dialect, T>> {
  return { sqlite: build("sqlite"), postgres: build("postgres") };
}

type Row = { readonly key: string } & Partial<Place & PastKey & Marker>;

/** Does not check the key's characters: for long keys that would cost more than the rest of a deletion. */
function rowOf({ key, n, seq, version_id }: Row): string {
  const place = n === undefined ? "" : `,"n":${n}`;
  const number = seq === undefined ? "" : `,"seq":${seq}`;
  const version = version_id === undefined ? "" : `,"version_id":${JSON.stringify(version_id)}`;
  return `{"key":"${key}"${place}${number}${version}}`;
}

const list = (rows: readonly Row[]): string => `[${rows.map(rowOf).join(",")}]`;

type KeyRow = { readonly n: number | null; readonly versioning: VersioningState | null } & {
  readonly [K in keyof Omit<CurrentRow, "detail">]: CurrentRow[K] | null;
};

/**
 * Locks the bucket against deletion until the transaction ends, and reads the current versions of keys. A bucket
 * without these keys gives one empty row. An absent bucket gives no row.
 */
export async function keysForWrite(
  dialect: Dialect,
  tx: Writer,
  bucket: string,
  places: readonly Place[],
): Promise<readonly KeyRow[]> {
  return KEYS_FOR_WRITE[dialect].execute(tx, bucket, list(places));
}

const KEYS_FOR_WRITE = perDialect((dialect) =>
  prepared(
    (_db, bucket: string, places: string) => sql<KeyRow>`
    select o.n, b.versioning, o.seq, o.version_id, o.blob_id, o.size, o.etag, o.modified_at from app as a
    left join s3_bucket as b on b.id = a.id
    left join (
      select k.n, v.seq, v.version_id, v.blob_id, v.size, v.etag, v.modified_at
      from ${jsonTable(dialect, PLACES, places)} as k cross join s3_object as v
      where v.bucket = ${bucket} and v.key = k.key
    ) as o on true
    where a.id = ${bucket} and a.trashed_at is null and a.former_slug is null ${dialect === "postgres" ? sql`for key share of a` : sql``}`,
  ),
);

/** Reads the newest row of each key's history. */
export async function newestOfKeys(
  dialect: Dialect,
  tx: Writer,
  bucket: string,
  places: readonly Place[],
): Promise<readonly PastRow[]> {
  return places.length === 0 ? [] : NEWEST_OF_KEYS[dialect].execute(tx, bucket, list(places));
}

const NEWEST_OF_KEYS = perDialect((dialect) =>
  prepared(
    (_db, bucket: string, places: string) => sql<PastRow>`
    select k.n, h.seq, h.blob_id, h.size, h.etag, h.modified_at from ${jsonTable(dialect, PLACES, places)} as k
    cross join s3_history as h
    where h.bucket = ${bucket} and h.key = k.key
      and h.seq = (select min(m.seq) from s3_history as m where m.bucket = ${bucket} and m.key = k.key)`,
  ),
);

/** Reads these versions of keys from both tables. */
export async function versionsOfKeys(
  dialect: Dialect,
  tx: Writer,
  bucket: string,
  places: readonly VersionPlace[],
): Promise<readonly VersionRow[]> {
  return places.length === 0 ? [] : VERSIONS_OF_KEYS[dialect].execute(tx, bucket, list(places));
}

const VERSIONS_OF_KEYS = perDialect((dialect) =>
  prepared((_db, bucket: string, places: string) => {
    const from = (table: RawBuilder<unknown>, isCurrent: RawBuilder<unknown>) => sql`
    select k.n, ${isCurrent} as is_current, v.seq, v.blob_id, v.size, v.etag, v.modified_at, v.detail
    from ${jsonTable(dialect, { ...PLACES, version_id: "text" }, places)} as k
    cross join ${table} as v where v.bucket = ${bucket} and v.key = k.key and v.version_id = k.version_id`;
    return sql<VersionRow>`${from(sql`s3_object`, sql`1`)} union all ${from(sql`s3_history`, sql`0`)}`;
  }),
);

/** Moves the current versions of these keys to the history. */
export function retireKeys(dialect: Dialect, tx: Writer, bucket: string, keys: readonly string[]): void {
  if (keys.length === 0) return;
  tx.defer(RETIRE_KEYS[dialect].with(tx, bucket, keyList(keys)));
  deleteKeys(dialect, tx, bucket, keys);
}

const keyList = (keys: readonly string[]): string => list(keys.map((key) => ({ key })));

const RETIRE_KEYS = perDialect((dialect) =>
  prepared(
    (_db, bucket: string, keys: string) => sql`
    insert into s3_history (${COLUMNS}) select ${COLUMNS} from s3_object
    where bucket = ${bucket} and key in (select key from ${jsonTable(dialect, KEYS, keys)} as k)`,
  ),
);

export function deleteKeys(dialect: Dialect, tx: Writer, bucket: string, keys: readonly string[]): void {
  if (keys.length > 0) tx.defer(DELETE_KEYS[dialect].with(tx, bucket, keyList(keys)));
}

const DELETE_KEYS = perDialect((dialect) =>
  prepared(
    (_db, bucket: string, keys: string) => sql`
    delete from s3_object
    where bucket = ${bucket} and key in (select key from ${jsonTable(dialect, KEYS, keys)} as k)`,
  ),
);

export function deletePast(dialect: Dialect, tx: Writer, bucket: string, past: readonly PastKey[]): void {
  if (past.length > 0) tx.defer(DELETE_PAST[dialect].with(tx, bucket, list(past)));
}

const DELETE_PAST = perDialect((dialect) =>
  prepared(
    (_db, bucket: string, past: string) => sql`
    delete from s3_history
    where bucket = ${bucket} and (key, seq) in (select key, seq from ${jsonTable(dialect, PAST_KEYS, past)} as k)`,
  ),
);

type MarkersOf = Pick<Tables["s3_history"], "bucket" | "org_id" | "owner" | "modified_at">;

export function insertMarkers(dialect: Dialect, tx: Writer, of: MarkersOf, markers: readonly Marker[]): void {
  if (markers.length > 0) tx.defer(INSERT_MARKERS[dialect].with(tx, of, list(markers)));
}

const INSERT_MARKERS = perDialect((dialect) =>
  prepared(
    (_db, of: MarkersOf, markers: string) => sql`
    insert into s3_history (${COLUMNS})
    select null, ${text(of.bucket)}, key, seq, version_id, ${text(of.org_id)}, 0, '', cast(${of.modified_at} as bigint),
      ${text(of.owner)}, '', '{}', null
    from ${jsonTable(dialect, { ...PAST_KEYS, version_id: "text" }, markers)} as k`,
  ),
);

function text(value: string): RawBuilder<unknown> {
  return sql`cast(${value} as text)`;
}

/**
 * For keys without a current version, makes the newest remaining version the current one, unless it is a delete marker.
 */
export function promoteKeys(dialect: Dialect, tx: Writer, bucket: string, keys: readonly string[]): void {
  if (keys.length === 0) return;
  tx.defer(PROMOTE_KEYS[dialect].with(tx, bucket, keyList(keys)));
  tx.defer(DELETE_PROMOTED[dialect].with(tx, bucket, keyList(keys)));
}

const PROMOTE_KEYS = perDialect((dialect) =>
  prepared(
    (_db, bucket: string, keys: string) => sql`
    insert into s3_object (${COLUMNS})
    select h.blob_id, h.bucket, h.key, h.seq, h.version_id, h.org_id, h.size, h.etag, h.modified_at, h.owner, h.tags, h.detail, h.parts
    from ${jsonTable(dialect, KEYS, keys)} as k cross join s3_history as h
    where h.bucket = ${bucket} and h.key = k.key and h.blob_id is not null
      and h.seq = (select min(m.seq) from s3_history as m where m.bucket = ${bucket} and m.key = k.key)
      and not exists (select 1 from s3_object as o where o.bucket = ${bucket} and o.key = k.key)`,
  ),
);

/** Deletes the rows that `PROMOTE_KEYS` copied. `seq` identifies a version of its key. */
const DELETE_PROMOTED = perDialect((dialect) =>
  prepared(
    (_db, bucket: string, keys: string) => sql`
    delete from s3_history where bucket = ${bucket} and (key, seq) in (
      select o.key, o.seq from ${jsonTable(dialect, KEYS, keys)} as k cross join s3_object as o
      where o.bucket = ${bucket} and o.key = k.key)`,
  ),
);
