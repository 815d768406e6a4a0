import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import type { UploadRow } from "./view.ts";

export type PartRow = Tables["s3_part"];

export async function uploadById(db: Reader, id: string): Promise<UploadRow | undefined> {
  return db.selectFrom("s3_upload").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function insertUpload(tx: Writer, row: UploadRow): Promise<void> {
  await tx.insertInto("s3_upload").values(row).execute();
}

/** The upload is done: it is kept for whoever completes it once more. */
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

/** In the order of their numbers. */
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

export async function deleteParts(tx: Writer, uploadId: string): Promise<PartRow[]> {
  return tx.deleteFrom("s3_part").where("upload_id", "=", uploadId).returningAll().execute();
}
