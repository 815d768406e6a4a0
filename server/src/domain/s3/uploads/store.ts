import { sql, type RawBuilder } from "kysely";
import { jsonTable, type MetadataStore, type Reader, type Tables, type Writer } from "#stores/metadata/index.ts";
import type { BlobQuery } from "#stores/objects/index.ts";
import type { UploadRow } from "./view.ts";

export type PartRow = Tables["s3_part"];

export async function uploadById(db: Reader, id: string): Promise<UploadRow | undefined> {
  return db.selectFrom("s3_upload").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function insertUpload(tx: Writer, row: UploadRow): Promise<void> {
  await tx.insertInto("s3_upload").values(row).execute();
}

/** Marks the upload as completed. Its result is kept for a client that sends the completion again. */
export function setCompleted(tx: Writer, id: string, atMs: number, result: string): void {
  tx.defer(tx.updateTable("s3_upload").set({ completed_at: atMs, result }).where("id", "=", id));
}

export function deleteUpload(tx: Writer, id: string): void {
  tx.defer(tx.deleteFrom("s3_upload").where("id", "=", id));
}

export async function openUploadIds(db: Reader, bucketId: string): Promise<string[]> {
  const query = db.selectFrom("s3_upload").select("id").where("bucket", "=", bucketId);
  return (await query.where("completed_at", "is", null).execute()).map(({ id }) => id);
}

export async function partByNumber(db: Reader, uploadId: string, number: number): Promise<PartRow | undefined> {
  const query = db.selectFrom("s3_part").selectAll().where("upload_id", "=", uploadId).where("number", "=", number);
  return query.executeTakeFirst();
}

export function putPartRow(tx: Writer, row: PartRow): void {
  const { upload_id: _uploadId, number: _number, org_id: _orgId, ...change } = row;
  tx.defer(
    tx
      .insertInto("s3_part")
      .values(row)
      .onConflict((on) => on.columns(["upload_id", "number"]).doUpdateSet(change)),
  );
}

/** Reads parts in the order of their numbers. */
export async function partRows(
  db: Reader,
  uploadId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<PartRow[]> {
  return db
    .selectFrom("s3_part")
    .selectAll()
    .where("upload_id", "=", uploadId)
    .where("number", ">", page.after)
    .orderBy("number")
    .limit(page.limit)
    .execute();
}

type Dialect = MetadataStore["dialect"];

/**
 * The parts of an upload, column by column in the order of their numbers. A row for each part would block the event
 * loop.
 */
export interface AllParts {
  readonly count: number;
  readonly size: number;
  /** In hexadecimal digits, concatenated. */
  readonly etags: string;
  /** JSON: a list of `ObjectPart`. */
  readonly parts: string;
}

export async function allParts(dialect: Dialect, tx: Writer, uploadId: string): Promise<AllParts> {
  const members = sql`'number', number, 'size', size, 'checksum', checksum, 'nonce', nonce`;
  const [etags, parts] =
    dialect === "sqlite"
      ? [
          sql`group_concat(etag, '' order by number)`,
          sql`json_group_array(json_patch('{}', json_object(${members})) order by number)`,
        ]
      : [
          sql`string_agg(etag, '' order by number)`,
          sql`json_agg(json_strip_nulls(json_build_object(${members})) order by number)::text`,
        ];
  const { rows } = await sql<AllParts>`
    select count(*) as count, cast(coalesce(sum(size), 0) as bigint) as size, coalesce(${etags}, '') as etags,
      coalesce(${parts}, '[]') as parts
    from s3_part where upload_id = ${uploadId}`.execute(tx);
  return rows[0] ?? { count: 0, size: 0, etags: "", parts: "[]" };
}

/** Selects the parts in the form that `compose` takes. */
export function partRanges(uploadId: string): RawBuilder<unknown> {
  return sql`select number as i, blob_id as blob, number, cast(null as bigint) as start, cast(null as bigint) as "end"
    from s3_part where upload_id = ${uploadId}`;
}

const NAMED = { number: "integer", etag: "text", checksum: "text" } as const;

/** A part of a completion that differs from the stored one, or is too small. */
export interface WrongPart {
  readonly number: number;
  readonly etag: string;
  /** Null: the part is absent, or another one. */
  readonly size: number | null;
}

/**
 * Finds the first wrong part in the order of numbers. The last part may have any size.
 * @param json a list of `CompletedPart`
 */
export async function wrongPart(
  dialect: Dialect,
  tx: Writer,
  uploadId: string,
  { json, bytesMin }: { readonly json: string; readonly bytesMin: number },
): Promise<WrongPart | undefined> {
  const isOther = sql`(p.etag is null or p.etag <> n.etag or coalesce(p.checksum <> n.checksum, false))`;
  const { rows } = await sql<WrongPart>`
    with named as materialized (select * from ${jsonTable(dialect, NAMED, json)} as handed_over)
    select n.number, n.etag, case when ${isOther} then null else p.size end as size
    from named as n left join s3_part as p on p.upload_id = ${uploadId} and p.number = n.number
    where ${isOther} or (p.size < ${bytesMin} and n.number < (select max(number) from named))
    order by n.number limit 1`.execute(tx);
  return rows[0];
}

/** The parts of an upload to delete: all parts, or those whose numbers are not in a list of `CompletedPart`. */
export interface Leaving {
  readonly uploadId: string;
  readonly except?: string;
}

function leavingParts(dialect: Dialect, { uploadId, except }: Leaving): RawBuilder<unknown> {
  const all = sql`upload_id = ${uploadId}`;
  if (except === undefined) return all;
  return sql`${all} and number not in (select number from ${jsonTable(dialect, NAMED, except)} as named)`;
}

/** Returns the content of the parts to delete, and the sum of their bytes. */
export async function contentOfParts(
  dialect: Dialect,
  tx: Writer,
  leaving: Leaving,
): Promise<{ readonly blobs: BlobQuery; readonly bytes: number }> {
  const where = leavingParts(dialect, leaving);
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(distinct blob_id) as count, cast(coalesce(sum(size), 0) as bigint) as bytes
    from s3_part where ${where}`.execute(tx);
  const { count = 0, bytes = 0 } = rows[0] ?? {};
  return { blobs: { ids: sql`select blob_id as id from s3_part where ${where}`, count }, bytes };
}

export function deleteParts(dialect: Dialect, tx: Writer, leaving: Leaving): void {
  tx.defer(sql`delete from s3_part where ${leavingParts(dialect, leaving)}`.compile(tx));
}
