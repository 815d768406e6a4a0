import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type TotpRow = Tables["person_totp"];
export type PasskeyRow = Tables["passkey"];

export async function findTotp(db: Reader, userId: string): Promise<TotpRow | undefined> {
  return db.selectFrom("person_totp").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

/** Returns the secret if it is confirmed. */
export async function confirmedTotp(db: Reader, userId: string): Promise<TotpRow | undefined> {
  const row = await findTotp(db, userId);
  return row?.confirmed_at === null ? undefined : row;
}

/** Inserts an unconfirmed secret. Replaces an unconfirmed one. */
export async function replacePendingTotp(tx: Writer, row: TotpRow): Promise<void> {
  await tx.deleteFrom("person_totp").where("user_id", "=", row.user_id).where("confirmed_at", "is", null).execute();
  await tx.insertInto("person_totp").values(row).execute();
}

/** Returns false if there is another secret now, or if it is already confirmed. */
export async function confirmTotpRow(
  tx: Writer,
  row: Pick<TotpRow, "user_id" | "created_at">,
  change: { readonly confirmed_at: number; readonly last_step: number },
): Promise<boolean> {
  const rows = await tx
    .updateTable("person_totp")
    .set(change)
    .where("user_id", "=", row.user_id)
    .where("created_at", "=", row.created_at)
    .where("confirmed_at", "is", null)
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

/** Uses up a step. Returns false if this or a later step was used before. */
export async function useTotpStep(tx: Writer, userId: string, step: number): Promise<boolean> {
  const rows = await tx
    .updateTable("person_totp")
    .set({ last_step: step })
    .where("user_id", "=", userId)
    .where("last_step", "<", step)
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

/** Deletes the app with its recovery codes. Returns false if no confirmed app existed. */
export async function deleteTotpRow(tx: Writer, userId: string): Promise<boolean> {
  await tx.deleteFrom("recovery_code").where("user_id", "=", userId).execute();
  const rows = await tx.deleteFrom("person_totp").where("user_id", "=", userId).returning("confirmed_at").execute();
  return rows.some((row) => row.confirmed_at !== null);
}

export async function replaceRecoveryCodes(
  tx: Writer,
  userId: string,
  rows: readonly Tables["recovery_code"][],
): Promise<void> {
  await tx.deleteFrom("recovery_code").where("user_id", "=", userId).execute();
  if (rows.length > 0)
    await tx
      .insertInto("recovery_code")
      .values([...rows])
      .execute();
}

/** Returns false if the code does not exist, or was used. */
export async function useRecoveryCodeRow(tx: Writer, userId: string, codeHashes: readonly string[]): Promise<boolean> {
  const rows = await tx
    .deleteFrom("recovery_code")
    .where("user_id", "=", userId)
    .where("code_hash", "in", [...codeHashes])
    .returning("user_id")
    .execute();
  return rows.length > 0;
}

export async function countRecoveryCodes(db: Reader, userId: string): Promise<number> {
  const row = await db
    .selectFrom("recovery_code")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Returns passkeys, newest first. */
export async function passkeysOf(db: Reader, userId: string): Promise<PasskeyRow[]> {
  return db.selectFrom("passkey").selectAll().where("user_id", "=", userId).orderBy("id", "desc").execute();
}

export async function passkeyByCredential(db: Reader, credentialId: string): Promise<PasskeyRow | undefined> {
  return db.selectFrom("passkey").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();
}

export async function insertPasskey(tx: Writer, row: PasskeyRow): Promise<void> {
  await tx.insertInto("passkey").values(row).execute();
}

export async function setPasskeyName(
  tx: Writer,
  userId: string,
  id: string,
  name: string,
): Promise<PasskeyRow | undefined> {
  return tx
    .updateTable("passkey")
    .set({ name })
    .where("user_id", "=", userId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function recordPasskeyUse(
  tx: Writer,
  id: string,
  use: { readonly counter: number; readonly last_used_at: number; readonly synced: number },
): Promise<void> {
  await tx.updateTable("passkey").set(use).where("id", "=", id).execute();
}

export async function deletePasskeyRow(tx: Writer, userId: string, id: string): Promise<void> {
  await tx.deleteFrom("passkey").where("user_id", "=", userId).where("id", "=", id).execute();
}
