import { sql } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type DeletedPerson = Tables["deleted_person"];

/** Tables whose rows belong to one account, each with the column of the person. They go before the account. */
const OF_ACCOUNT = [
  "sign_in_attempt",
  "login",
  "login_request",
  "browser_session",
  "setup_link",
  "account_link",
  "person_totp",
  "recovery_code",
  "passkey",
  "external_identity",
  "group_member",
  "project_member",
  "member",
] as const;

/** Deletes the account with all rows that belong to it. */
export async function deleteAccountRows(tx: Writer, userId: string): Promise<void> {
  for (const table of OF_ACCOUNT) await tx.deleteFrom(table).where("user_id", "=", userId).execute();
  await tx.deleteFrom("operator_token").where("created_by", "=", userId).execute();
  await tx.deleteFrom("refused_request").where("actor_id", "=", userId).execute();
  await tx.deleteFrom("person").where("id", "=", userId).execute();
}

/**
 * Removes names, last uses and secrets from the personal access tokens of a person. The rows stay, because entries of
 * the audit log name them.
 */
export async function stripPersonalTokens(tx: Writer, userId: string): Promise<void> {
  const tokens = tx.selectFrom("credential").select("id").where("kind", "=", "personal");
  const theirs = tokens.where("created_by", "=", userId);
  await tx.deleteFrom("credential_activity").where("credential_id", "in", theirs).execute();
  await tx.deleteFrom("credential_secret").where("credential_id", "in", theirs).execute();
  await tx
    .updateTable("credential")
    .set({ name: "deleted", last_used_ip: null, allowed_addresses: null })
    .where("kind", "=", "personal")
    .where("created_by", "=", userId)
    .execute();
}

/** Deletes the invitations to these addresses, with used and revoked ones. Returns their ids. */
export async function deleteInvitationsTo(tx: Writer, addresses: readonly string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom("invitation")
    .where("email", "in", [...addresses])
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Deletes mails to these addresses that wait or have failed. */
export async function deleteMailsTo(tx: Writer, addresses: readonly string[]): Promise<void> {
  await tx
    .deleteFrom("mail")
    .where(sql<string>`lower(recipient)`, "in", [...addresses])
    .execute();
}

/** Deletes stored answers of the API that have one of the addresses. Such an answer is kept for a day. */
export async function deleteAnswersWith(tx: Writer, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) {
    const pattern = `%${address.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    await tx
      .deleteFrom("idempotency")
      .where(sql<boolean>`lower(body) like ${pattern} escape '\\'`)
      .where("status", "!=", 0)
      .execute();
  }
}

export async function insertDeletedPerson(tx: Writer, row: DeletedPerson): Promise<void> {
  await tx
    .insertInto("deleted_person")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ about: row.about, erased_at: null }))
    .execute();
}

export async function deletedPerson(db: Reader, id: string): Promise<DeletedPerson | undefined> {
  return db.selectFrom("deleted_person").selectAll().where("id", "=", id).executeTakeFirst();
}

const PAGE = 200;

/** Yields deleted people in pages. `open`: only those whose traces are not erased yet. */
export async function* deletedPeople(db: Reader, which: "all" | "open"): AsyncGenerator<DeletedPerson[]> {
  for (let after = ""; ;) {
    const rows = await db
      .selectFrom("deleted_person")
      .selectAll()
      .where("id", ">", after)
      .$if(which === "open", (query) => query.where("erased_at", "is", null))
      .orderBy("id")
      .limit(PAGE)
      .execute();
    yield rows;
    after = rows.at(-1)?.id ?? "";
    if (rows.length < PAGE) return;
  }
}

export async function setErased(tx: Writer, id: string, erasedAtMs: number): Promise<void> {
  await tx.updateTable("deleted_person").set({ erased_at: erasedAtMs, about: "{}" }).where("id", "=", id).execute();
}

export async function slugsOf(db: Reader, orgIds: readonly string[]): Promise<string[]> {
  if (orgIds.length === 0) return [];
  const rows = db
    .selectFrom("organization")
    .select("slug")
    .where("id", "in", [...orgIds])
    .orderBy("slug");
  return (await rows.execute()).map(({ slug }) => slug);
}
