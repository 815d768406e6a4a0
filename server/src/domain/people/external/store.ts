import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type ExternalIdentity = Tables["external_identity"];

export async function externalIdentity(
  db: Reader,
  issuer: string,
  subject: string,
): Promise<ExternalIdentity | undefined> {
  return db
    .selectFrom("external_identity")
    .selectAll()
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
}

/** Returns the identity of a person at one provider. There is at most one. */
export async function identityAt(db: Reader, userId: string, issuer: string): Promise<ExternalIdentity | undefined> {
  return db
    .selectFrom("external_identity")
    .selectAll()
    .where("issuer", "=", issuer)
    .where("user_id", "=", userId)
    .executeTakeFirst();
}

/** Deletes a person's identities, at one provider or all. Returns their number. */
export async function deleteIdentities(tx: Writer, userId: string, issuer: string | null): Promise<number> {
  const rows = await tx
    .deleteFrom("external_identity")
    .where("user_id", "=", userId)
    .$if(issuer !== null, (query) => query.where("issuer", "=", issuer ?? ""))
    .returning("subject")
    .execute();
  return rows.length;
}

export async function hasExternalIdentity(db: Reader, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom("external_identity")
    .select("issuer")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertExternalIdentity(tx: Writer, row: ExternalIdentity): Promise<void> {
  await tx.insertInto("external_identity").values(row).execute();
}

export async function recordExternalUse(tx: Writer, issuer: string, subject: string, atMs: number): Promise<void> {
  await tx
    .updateTable("external_identity")
    .set({ last_used_at: atMs })
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .execute();
}
