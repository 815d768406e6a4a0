import { sql, type RawBuilder } from "kysely";
import type { MetadataStore, Reader } from "#stores/metadata/index.ts";
import { keyBytes } from "../objects/detail.ts";
import { successor, type KeyRange } from "./range.ts";

type Dialect = MetadataStore["dialect"];

/** The columns of a version in a listing. */
export interface ListedRow {
  readonly key: Uint8Array;
  readonly seq: number;
  readonly version_id: string;
  readonly size: number;
  readonly etag: string;
  readonly modified_at: number;
  readonly owner: string;
  readonly detail: string;
  /** Null: a delete marker. */
  readonly blob_id: string | null;
}

const COLUMNS = ["key", "seq", "version_id", "size", "etag", "modified_at", "owner", "detail", "blob_id"] as const;

/** Reads current objects in the order of their keys. */
export async function objectsIn(
  db: Reader,
  bucket: string,
  { start, end }: KeyRange,
  limit: number,
): Promise<ListedRow[]> {
  return db
    .selectFrom("s3_object")
    .select([...COLUMNS])
    .where("bucket", "=", bucket)
    .where("key", ">=", start)
    .$if(end !== null, (query) => query.where("key", "<", end ?? start))
    .orderBy("key")
    .limit(limit)
    .execute();
}

export async function objectsOf(db: Reader, bucket: string, keys: readonly Uint8Array[]): Promise<ListedRow[]> {
  const rows: ListedRow[] = [];
  for (const chunk of inChunks(keys)) {
    const query = db
      .selectFrom("s3_object")
      .select([...COLUMNS])
      .where("bucket", "=", bucket)
      .where("key", "in", chunk);
    rows.push(...(await query.execute()));
  }
  return rows;
}

/** Reads versions from a key and number on, in the order of keys. For each key, the newest is first. */
export async function versionsIn(
  db: Reader,
  bucket: string,
  { start, end }: KeyRange,
  page: { readonly afterSeq: number | null; readonly limit: number },
): Promise<ListedRow[]> {
  const { afterSeq, limit } = page;
  const side = (table: "s3_object" | "s3_history") =>
    db
      .selectFrom(table)
      .select([...COLUMNS])
      .where("bucket", "=", bucket)
      // Only one of the two conditions is used: with both, SQLite would start at the key instead of the number.
      .$if(afterSeq === null, (query) => query.where("key", ">=", start))
      .$if(afterSeq !== null, (query) =>
        query.where((eb) => eb(eb.refTuple("key", "seq"), ">", eb.tuple(start, afterSeq ?? 0))),
      )
      .$if(end !== null, (query) => query.where("key", "<", end ?? start))
      .orderBy("key")
      .orderBy("seq")
      .limit(limit);
  // One statement, so that a version can't be missed while it moves from one table to the other.
  return db
    .selectFrom(side("s3_object").as("present"))
    .selectAll()
    .unionAll(db.selectFrom(side("s3_history").as("past")).selectAll())
    .orderBy("key")
    .orderBy("seq")
    .limit(limit)
    .execute();
}

type StepTable = "s3_object" | "s3_history" | "s3_upload";

export interface StepQuery {
  readonly prefix: string;
  /** Not empty. */
  readonly delimiter: string;
  readonly range: KeyRange;
  readonly limit: number;
  readonly tables: readonly StepTable[];
}

/**
 * Returns the first key of every common prefix, and every key without one, in order. The index finds each one directly
 * after all keys of the one before, so the number of keys does not matter.
 */
export async function stepsIn(db: Reader, dialect: Dialect, bucket: string, query: StepQuery): Promise<Uint8Array[]> {
  const { prefix, delimiter, range, limit, tables } = query;
  const first = firstKey(bucket, tables, sql`${range.start}`, range.end);
  const behind = behindStep(dialect, keyBytes(prefix).length, keyBytes(delimiter));
  const next = firstKey(bucket, tables, behind, range.end);
  const { rows } = await sql<{ k: Uint8Array | null }>`
    with recursive step(k, n) as (
      select ${first}, 1
      union all
      select ${next}, n + 1 from step where step.k is not null and n < ${sql.lit(limit)}
    )
    select k from step where k is not null order by n`.execute(db);
  return rows.map(({ k }) => k).filter((k) => k !== null);
}

function firstKey(
  bucket: string,
  tables: StepQuery["tables"],
  from: RawBuilder<unknown>,
  end: Uint8Array | null,
): RawBuilder<unknown> {
  const below = end === null ? sql`` : sql`and key < ${end}`;
  const [one, ...others] = tables.map(
    (table) =>
      sql`(select key from ${sql.table(table)} where bucket = ${bucket} and key >= ${from} ${below} ${shown(table)} order by key limit 1)`,
  );
  if (others.length === 0) return sql`${one}`;
  const sides = [one, ...others].map((side) => sql`select ${side} as key`);
  return sql`(select key from (${sql.join(sides, sql` union all `)}) as firsts where key is not null order by key limit 1)`;
}

/** Hides completed uploads. */
function shown(table: StepTable): RawBuilder<unknown> {
  return table === "s3_upload" ? sql`and completed_at is null` : sql``;
}

/** Returns the position after `step.k`: after its common prefix, or after the key. */
function behindStep(dialect: Dialect, prefixBytes: number, delimiter: Uint8Array): RawBuilder<unknown> {
  const next = successor(delimiter) ?? delimiter;
  const from = sql.lit(prefixBytes + 1);
  const kept = sql.lit(prefixBytes - 1);
  if (dialect === "sqlite") {
    const at = sql`instr(substr(step.k, ${from}), ${delimiter})`;
    const grouped = sql`cast(substr(step.k, 1, ${kept} + ${at}) || ${next} as blob)`;
    return sql`(case ${at} when 0 then cast(step.k || x'00' as blob) else ${grouped} end)`;
  }
  const at = sql`position(${delimiter}::bytea in substring(step.k from ${from}))`;
  const grouped = sql`substring(step.k from 1 for ${kept} + ${at}) || ${next}::bytea`;
  return sql`(case ${at} when 0 then step.k || '\\x00'::bytea else ${grouped} end)`;
}

export interface UploadRow {
  readonly id: string;
  readonly key: Uint8Array;
  readonly created_at: number;
  readonly owner: string;
  readonly detail: string;
}

/** Reads open uploads after this one. */
export async function uploadsIn(
  db: Reader,
  bucket: string,
  { start, end }: KeyRange,
  page: { readonly afterId: string; readonly limit: number },
): Promise<UploadRow[]> {
  const { afterId, limit } = page;
  return db
    .selectFrom("s3_upload")
    .select(["id", "key", "created_at", "owner", "detail"])
    .where("bucket", "=", bucket)
    .where("completed_at", "is", null)
    .$if(afterId === "", (query) => query.where("key", ">=", start))
    .$if(afterId !== "", (query) => query.where((eb) => eb(eb.refTuple("key", "id"), ">", eb.tuple(start, afterId))))
    .$if(end !== null, (query) => query.where("key", "<", end ?? start))
    .orderBy("key")
    .orderBy("id")
    .limit(limit)
    .execute();
}

const CHUNK = 500;

function inChunks<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / CHUNK) }, (_, i) => items.slice(i * CHUNK, (i + 1) * CHUNK));
}
