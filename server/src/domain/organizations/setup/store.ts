import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type SetupLink = Tables["setup_link"];

/** Finds a link in any organization: its token identifies it. */
export async function setupLinkByToken(db: Reader, tokenHash: string): Promise<SetupLink | undefined> {
  return db.selectFrom("setup_link").selectAll().where("token_hash", "=", tokenHash).executeTakeFirst();
}

/** Adds a link and deletes the person's expired ones. */
export async function insertSetupLink(tx: Writer, row: SetupLink): Promise<void> {
  await tx
    .deleteFrom("setup_link")
    .where("org_id", "=", row.org_id)
    .where("user_id", "=", row.user_id)
    .where("expires_at", "<=", row.created_at)
    .execute();
  await tx.insertInto("setup_link").values(row).execute();
}
