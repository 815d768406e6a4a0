import { sql } from "kysely";
import type { MetadataStore, Reader, Tables, Writer } from "#stores/metadata/index.ts";
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
  return db.selectFrom("s3_object").selectAll().where("bucket", "=", bucket).where("key", "=", key).executeTakeFirst();
}

/** The newest row of the key's history. */
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
 * Whether there is the bucket, which then can't be deleted before the transaction ends.
 */
export async function holdBucket(dialect: Dialect, tx: Writer, bucket: string): Promise<boolean> {
  const query = tx.selectFrom("app").select("id").where("id", "=", bucket);
  return (await query.$if(dialect === "postgres", (held) => held.forKeyShare()).executeTakeFirst()) !== undefined;
}

export interface KeyState {
  readonly versioning: VersioningState;
  readonly current: ObjectRow | undefined;
}

/** The same, with what a write of a key goes by, in one statement: undefined when there is no such bucket. */
export async function keyForWrite(
  dialect: Dialect,
  tx: Writer,
  bucket: string,
  key: Uint8Array,
): Promise<KeyState | undefined> {
  const held = dialect === "postgres" ? sql`for key share of a` : sql``;
  const { rows } = await sql<Partial<ObjectRow> & { readonly versioning: VersioningState | null }>`
    select b.versioning, o.* from app as a
    left join s3_bucket as b on b.id = a.id
    left join s3_object as o on o.bucket = a.id and o.key = ${key}
    where a.id = ${bucket} ${held}`.execute(tx);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { versioning, ...object } = row;
  // Without a row of its table every column is null.
  const current = (object.blob_id ?? null) === null ? undefined : (object as ObjectRow);
  return { versioning: versioning ?? "unversioned", current };
}

/** Puts the present version, in place of another one where there is one. */
export async function putCurrent(tx: Writer, row: ObjectRow): Promise<void> {
  const { bucket: _bucket, key: _key, org_id: _orgId, ...change } = row;
  await tx
    .insertInto("s3_object")
    .values(row)
    .onConflict((on) => on.columns(["bucket", "key"]).doUpdateSet(change))
    .execute();
}

export async function deleteCurrent(tx: Writer, bucket: string, key: Uint8Array): Promise<void> {
  await tx.deleteFrom("s3_object").where("bucket", "=", bucket).where("key", "=", key).execute();
}

/** Makes the present version one of those before it. */
export async function retireCurrent(tx: Writer, bucket: string, key: Uint8Array): Promise<void> {
  await tx
    .insertInto("s3_history")
    .columns([...COLUMNS])
    .expression((eb) =>
      eb
        .selectFrom("s3_object")
        .select([...COLUMNS])
        .where("bucket", "=", bucket)
        .where("key", "=", key),
    )
    .execute();
  await deleteCurrent(tx, bucket, key);
}

export async function insertHistory(tx: Writer, row: HistoryRow): Promise<void> {
  await tx.insertInto("s3_history").values(row).execute();
}

export async function deleteHistory(tx: Writer, row: Pick<HistoryRow, "bucket" | "key" | "seq">): Promise<void> {
  await tx
    .deleteFrom("s3_history")
    .where("bucket", "=", row.bucket)
    .where("key", "=", row.key)
    .where("seq", "=", row.seq)
    .execute();
}

type Changeable = Partial<Pick<ObjectRow, "tags" | "detail">>;

export async function changeVersion(
  tx: Writer,
  table: "s3_object" | "s3_history",
  row: Pick<HistoryRow, "bucket" | "key" | "seq">,
  change: Changeable,
): Promise<void> {
  await tx
    .updateTable(table)
    .set(change)
    .where("bucket", "=", row.bucket)
    .where("key", "=", row.key)
    .where("seq", "=", row.seq)
    .execute();
}

/** Rows over which nodes spread the numbers of one bucket, so that none waits for another. */
const SHARDS = 16;

export async function addUsage(
  dialect: Dialect,
  tx: Writer,
  place: Pick<Tables["s3_usage"], "org_id" | "bucket">,
  change: { readonly objects: number; readonly bytes: number },
): Promise<void> {
  if (change.objects === 0 && change.bytes === 0) return;
  const { org_id, bucket } = place;
  const shard = dialect === "sqlite" ? 0 : Math.floor(Math.random() * SHARDS);
  await tx
    .insertInto("s3_usage")
    .values({ org_id, bucket, shard, ...change })
    .onConflict((on) =>
      on.columns(["org_id", "bucket", "shard"]).doUpdateSet({
        objects: sql`s3_usage.objects + ${change.objects}`,
        bytes: sql`s3_usage.bytes + ${change.bytes}`,
      }),
    )
    .execute();
}

export async function bytesOf(db: Reader, orgId: string): Promise<number> {
  const row = await db
    .selectFrom("s3_usage")
    .select((eb) => eb.fn.sum<number>("bytes").as("bytes"))
    .where("org_id", "=", orgId)
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}
