import { sql } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type Person = Tables["person"];
export type AccountLink = Tables["account_link"];

export async function personById(db: Reader, userId: string): Promise<Person | undefined> {
  return db.selectFrom("person").selectAll().where("id", "=", userId).executeTakeFirst();
}

export async function personByEmail(db: Reader, email: string): Promise<Person | undefined> {
  return db.selectFrom("person").selectAll().where("email", "=", email).executeTakeFirst();
}

/** Sorted, so that all nodes lock the chains of the audit log in the same order. */
export async function organizationIdsOf(db: Reader, userId: string): Promise<string[]> {
  const rows = await db.selectFrom("member").select("org_id").where("user_id", "=", userId).orderBy("org_id").execute();
  return rows.map((row) => row.org_id);
}

export async function setAccount(
  tx: Writer,
  userId: string,
  change: Partial<Pick<Person, "email" | "password_hash" | "instance_admin" | "verified_at">>,
): Promise<void> {
  await tx.updateTable("person").set(change).where("id", "=", userId).execute();
}

/**
 * Returns the ids of the other operators. With `claiming`: of people who become operators once their account is set up.
 */
export async function otherAdmins(db: Reader, userId: string, which: "running" | "claiming"): Promise<string[]> {
  const rows = await db
    .selectFrom("person")
    .select(["id", "password_hash", "last_seen_at"])
    .where(sql<boolean>`instance_admin = 1`) // a literal, as in the condition of the index
    .where("id", "!=", userId)
    .orderBy("id")
    .execute();
  const runs = (row: (typeof rows)[number]): boolean => row.password_hash !== null || row.last_seen_at !== null;
  return rows.filter((row) => runs(row) === (which === "running")).map(({ id }) => id);
}

/** Selects the set-up links to use up: the links of one person, or the links that starts printed. */
export async function useSetupLinks(
  tx: Writer,
  which: { readonly userId: string } | { readonly byStart: true },
  usedAtMs: number,
): Promise<void> {
  const open = tx.updateTable("setup_link").set({ used_at: usedAtMs }).where("used_at", "is", null);
  await ("userId" in which ? open.where("user_id", "=", which.userId) : open.where("by_start", "=", 1)).execute();
}

/** Deletes the sessions and the logins of the command line. Returns the number of deleted sessions. */
export async function deleteSessionsOf(tx: Writer, userId: string): Promise<number> {
  await tx.deleteFrom("sign_in_attempt").where("user_id", "=", userId).execute();
  await tx.deleteFrom("login").where("user_id", "=", userId).execute();
  await tx.deleteFrom("login_request").where("user_id", "=", userId).execute();
  return (await tx.deleteFrom("browser_session").where("user_id", "=", userId).returning("id").execute()).length;
}

export async function countLogins(db: Reader, userId: string): Promise<number> {
  const row = await db
    .selectFrom("login")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(row?.n ?? 0);
}

/** Returns the number of deleted passkeys. */
export async function deletePasskeysOf(tx: Writer, userId: string): Promise<number> {
  return (await tx.deleteFrom("passkey").where("user_id", "=", userId).returning("id").execute()).length;
}

/** Deletes the authenticator app and its recovery codes. Returns false if no confirmed app existed. */
export async function deleteSecondFactor(tx: Writer, userId: string): Promise<boolean> {
  await tx.deleteFrom("recovery_code").where("user_id", "=", userId).execute();
  const rows = await tx.deleteFrom("person_totp").where("user_id", "=", userId).returning("confirmed_at").execute();
  return rows.some((row) => row.confirmed_at !== null);
}

/** Deletes the identities, except the one to keep. Returns the number of deleted identities. */
export async function deleteIdentitiesOf(
  tx: Writer,
  userId: string,
  kept: { readonly issuer: string; readonly subject: string } | undefined,
): Promise<number> {
  const rows = await tx
    .deleteFrom("external_identity")
    .where("user_id", "=", userId)
    .$if(kept !== undefined, (query) =>
      query.where((row) =>
        row.or([row("issuer", "!=", kept?.issuer ?? ""), row("subject", "!=", kept?.subject ?? "")]),
      ),
    )
    .returning("subject")
    .execute();
  return rows.length;
}

export async function insertAccountLink(tx: Writer, row: AccountLink): Promise<void> {
  await tx
    .deleteFrom("account_link")
    .where("user_id", "=", row.user_id)
    .where("expires_at", "<=", row.created_at)
    .execute();
  await tx.insertInto("account_link").values(row).execute();
}

export async function accountLinkByToken(db: Reader, tokenHash: string): Promise<AccountLink | undefined> {
  return db.selectFrom("account_link").selectAll().where("token_hash", "=", tokenHash).executeTakeFirst();
}

/** Counts the links that were mailed to the person since a time. */
export async function countMailedLinks(db: Reader, userId: string, sinceMs: number): Promise<number> {
  const row = await db
    .selectFrom("account_link")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("user_id", "=", userId)
    .where("sent_by", "=", "mail")
    .where("created_at", ">", sinceMs)
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/** Ends all links of the person, because they all open the same account. */
export async function useAccountLinks(tx: Writer, userId: string, usedAtMs: number): Promise<void> {
  await tx
    .updateTable("account_link")
    .set({ used_at: usedAtMs })
    .where("user_id", "=", userId)
    .where("used_at", "is", null)
    .execute();
}

/** Ends every unused link, and invitations, which can be renewed. Returns the number of each kind. */
export async function endEveryLink(tx: Writer, atMs: number): Promise<Record<string, number>> {
  const setups = await tx
    .updateTable("setup_link")
    .set({ used_at: atMs })
    .where("used_at", "is", null)
    .where("expires_at", ">", atMs)
    .returning("id")
    .execute();
  const links = await tx
    .updateTable("account_link")
    .set({ used_at: atMs })
    .where("used_at", "is", null)
    .where("expires_at", ">", atMs)
    .returning("id")
    .execute();
  const invitations = await tx
    .updateTable("invitation")
    .set({ expires_at: atMs })
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", atMs)
    .returning("id")
    .execute();
  await tx.deleteFrom("sign_in_attempt").execute();
  await tx.deleteFrom("login_request").execute();
  return { setup_links: setups.length, reset_links: links.length, invitations: invitations.length };
}
