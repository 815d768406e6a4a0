import { sql, type RawBuilder } from "kysely";
import { columnsOf, prepared, type MetadataStore, type Reader, type Writer } from "#stores/metadata/index.ts";
import { addUsage as countUsage } from "#domain/quotas/index.ts";
import type { VersioningState } from "../types/index.ts";
import type { HistoryRow, ObjectRow } from "./detail.ts";

type Dialect = MetadataStore["dialect"];

const COLUMNS = [
  "blob_id",
  "bucket",
  "key",
  "seq",
  "version_id",
  "org_id",
  "size",
  "etag",
  "modified_at",
  "owner",
  "tags",
  "detail",
  "parts",
] as const satisfies readonly (keyof ObjectRow)[];

export async function currentObject(db: Reader, bucket: string, key: Uint8Array): Promise<ObjectRow | undefined> {
  return (await CURRENT_OBJECT.execute(db, bucket, key))[0];
}

const CURRENT_OBJECT = prepared((db, bucket: string, key: Uint8Array) =>
  db.selectFrom("s3_object").selectAll().where("bucket", "=", bucket).where("key", "=", key),
);

/** Reads the newest row of the key's history. */
export async function newestHistory(db: Reader, bucket: string, key: Uint8Array): Promise<HistoryRow | undefined> {
  return db
    .selectFrom("s3_history")
    .selectAll()
    .where("bucket", "=", bucket)
    .where("key", "=", key)
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
}

export async function historyVersion(
  db: Reader,
  bucket: string,
  key: Uint8Array,
  versionId: string,
): Promise<HistoryRow | undefined> {
  return db
    .selectFrom("s3_history")
    .selectAll()
    .where("bucket", "=", bucket)
    .where("key", "=", key)
    .where("version_id", "=", versionId)
    .executeTakeFirst();
}

/**
 * Returns whether the bucket exists, and locks it against deletion until the transaction ends. One with a former slug is
 * in the trash, or its project is.
 */
export async function holdBucket(dialect: Dialect, tx: Writer, bucket: string): Promise<boolean> {
  const app = tx.selectFrom("app").select("id").where("id", "=", bucket);
  const query = app.where("trashed_at", "is", null).where("former_slug", "is", null);
  return (await query.$if(dialect === "postgres", (held) => held.forKeyShare()).executeTakeFirst()) !== undefined;
}

/** The columns of the current version that a write needs. */
export type CurrentRow = Pick<ObjectRow, "seq" | "version_id" | "blob_id" | "size" | "etag" | "modified_at" | "detail">;

export interface KeyState {
  readonly versioning: VersioningState;
  readonly current: CurrentRow | undefined;
}

/**
 * Like `holdBucket`, and also reads what a write of a key needs, in one statement. Undefined when the bucket does not
 * exist.
 */
export async function keyForWrite(
  dialect: Dialect,
  tx: Writer,
  bucket: string,
  key: Uint8Array,
): Promise<KeyState | undefined> {
  const [row] = await tx.readAhead(KEY_FOR_WRITE[dialect].with(tx, bucket, key));
  if (row === undefined) return undefined;
  const { versioning, ...object } = row;
  // When the key has no current version, the join makes every column null.
  const current = (object.blob_id ?? null) === null ? undefined : (object as CurrentRow);
  return { versioning: versioning ?? "unversioned", current };
}

const KEY_FOR_WRITE = { sqlite: keyQuery(sql``), postgres: keyQuery(sql`for key share of a`) };

function keyQuery(held: RawBuilder<unknown>) {
  return prepared(
    (_db, bucket: string, key: Uint8Array) => sql<
      Partial<CurrentRow> & { readonly versioning: VersioningState | null }
    >`
    select b.versioning, o.seq, o.version_id, o.blob_id, o.size, o.etag, o.modified_at, o.detail from app as a
    left join s3_bucket as b on b.id = a.id
    left join s3_object as o on o.bucket = a.id and o.key = ${key}
    where a.id = ${bucket} and a.trashed_at is null and a.former_slug is null ${held}`,
  );
}

/** Inserts the current version, or replaces it. */
export function putCurrent(tx: Writer, row: ObjectRow): void {
  tx.defer(PUT_CURRENT.with(tx, row));
}

const PUT_CURRENT = prepared((db, row: ObjectRow) => {
  const { bucket: _bucket, key: _key, org_id: _orgId, ...change } = columnsOf(row, COLUMNS);
  return db
    .insertInto("s3_object")
    .values(columnsOf(row, COLUMNS))
    .onConflict((on) => on.columns(["bucket", "key"]).doUpdateSet(change));
});

export function deleteCurrent(tx: Writer, bucket: string, key: Uint8Array): void {
  tx.defer(tx.deleteFrom("s3_object").where("bucket", "=", bucket).where("key", "=", key));
}

/** Moves the current version to the history. */
export function retireCurrent(tx: Writer, bucket: string, key: Uint8Array): void {
  const current = tx
    .selectFrom("s3_object")
    .select([...COLUMNS])
    .where("bucket", "=", bucket)
    .where("key", "=", key);
  tx.defer(
    tx
      .insertInto("s3_history")
      .columns([...COLUMNS])
      .expression(current),
  );
  deleteCurrent(tx, bucket, key);
}

export function insertHistory(tx: Writer, row: HistoryRow): void {
  tx.defer(tx.insertInto("s3_history").values(row));
}

export function deleteHistory(tx: Writer, row: Pick<HistoryRow, "bucket" | "key" | "seq">): void {
  tx.defer(
    tx.deleteFrom("s3_history").where("bucket", "=", row.bucket).where("key", "=", row.key).where("seq", "=", row.seq),
  );
}

type Changeable = Partial<Pick<ObjectRow, "tags" | "detail">>;

export function changeVersion(
  tx: Writer,
  table: "s3_object" | "s3_history",
  row: Pick<HistoryRow, "bucket" | "key" | "seq">,
  change: Changeable,
): void {
  tx.defer(
    tx
      .updateTable(table)
      .set(change)
      .where("bucket", "=", row.bucket)
      .where("key", "=", row.key)
      .where("seq", "=", row.seq),
  );
}

/** Nodes spread the usage of one bucket over this many rows, so that they don't wait for each other. */
const SHARDS = 16;

/**
 * Call it for every version that is written, deleted or moved, even if the sums stay the same: it also counts writes,
 * unless `writes` is 0.
 */
export function addUsage(
  dialect: Dialect,
  tx: Writer,
  place: { readonly org_id: string; readonly bucket: string },
  change: { readonly objects: number; readonly bytes: number; readonly writes?: 0 },
): void {
  const shard = dialect === "sqlite" ? 0 : Math.floor(Math.random() * SHARDS);
  countUsage(tx, "objects", { ...place, shard }, { writes: 1, ...change });
}

/**
 * Returns a text for each bucket, by the id of its app. The text changes when the bucket is written to, or moves to
 * another project, or gets another name.
 */
export async function statesOfBuckets(db: Reader, orgId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom("s3_usage as u")
    .innerJoin("app as a", "a.id", "u.bucket")
    .select((eb) => ["a.id", "a.project_id", "a.slug", eb.fn.sum<number>("u.writes").as("writes")])
    .where("u.org_id", "=", orgId)
    .where("a.trashed_at", "is", null)
    .groupBy(["a.id", "a.project_id", "a.slug"])
    .execute();
  return new Map(rows.map(({ id, project_id, slug, writes }) => [id, `${project_id} ${slug} ${writes}`]));
}
