import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { UploadPartRow, UploadRow } from "./types.ts";

export async function uploadRow(db: Reader, id: string): Promise<UploadRow | undefined> {
  return db.selectFrom("registry_upload").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function insertUpload(tx: Writer, row: UploadRow): Promise<void> {
  await tx.insertInto("registry_upload").values(row).execute();
}

export async function setUpload(
  tx: Writer,
  id: string,
  change: Partial<Pick<UploadRow, "state" | "received" | "expires_at">>,
): Promise<void> {
  await tx.updateTable("registry_upload").set(change).where("id", "=", id).execute();
}

export async function openUploads(db: Reader, createdBy: string): Promise<number> {
  const { count } = await db
    .selectFrom("registry_upload")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("created_by", "=", createdBy)
    .where("state", "=", "open")
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertUploadPart(tx: Writer, row: UploadPartRow): Promise<void> {
  await tx.insertInto("registry_upload_part").values(row).execute();
}

/** Returns parts in order. */
export async function uploadParts(db: Reader, id: string): Promise<UploadPartRow[]> {
  return db.selectFrom("registry_upload_part").selectAll().where("upload_id", "=", id).orderBy("start").execute();
}

export async function deleteUploadParts(tx: Writer, id: string): Promise<UploadPartRow[]> {
  return tx.deleteFrom("registry_upload_part").where("upload_id", "=", id).returningAll().execute();
}

export async function deleteUpload(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("registry_upload").where("id", "=", id).execute();
}

export async function expiredUploads(db: Reader, nowMs: Cutoff, limit: number): Promise<UploadRow[]> {
  return db
    .selectFrom("registry_upload")
    .selectAll()
    .where("expires_at", "<", nowMs)
    .orderBy("expires_at")
    .limit(limit)
    .execute();
}
