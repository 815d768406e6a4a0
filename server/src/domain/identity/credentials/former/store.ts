import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

/** The former secret of an S3 key, with its access key ID. It works until the overlap of the rotation ends. */
export type FormerKey = Tables["s3_key_former"];

export async function formerByAccessKey(db: Reader, accessKeyId: string): Promise<FormerKey | undefined> {
  return db.selectFrom("s3_key_former").selectAll().where("access_key", "=", accessKeyId).executeTakeFirst();
}

export async function formerOf(db: Reader, keyId: string): Promise<FormerKey | undefined> {
  return db.selectFrom("s3_key_former").selectAll().where("key_id", "=", keyId).executeTakeFirst();
}

export async function deleteFormer(tx: Writer, keyId: string): Promise<void> {
  await tx.deleteFrom("s3_key_former").where("key_id", "=", keyId).execute();
}

export async function insertFormer(tx: Writer, row: FormerKey): Promise<void> {
  await tx.insertInto("s3_key_former").values(row).execute();
}

export async function formersOf(db: Reader, keyIds: readonly string[]): Promise<FormerKey[]> {
  if (keyIds.length === 0) return [];
  return db
    .selectFrom("s3_key_former")
    .selectAll()
    .where("key_id", "in", [...keyIds])
    .execute();
}

export async function recordFormerUse(tx: Writer, id: string, atMs: number): Promise<void> {
  await tx.updateTable("s3_key_former").set({ last_used_at: atMs }).where("id", "=", id).execute();
}
