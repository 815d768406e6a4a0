import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type LoginRow = Tables["login"];
export type LoginRequest = Tables["login_request"];

export async function insertLogin(tx: Writer, row: LoginRow): Promise<void> {
  await tx.insertInto("login").values(row).execute();
}

export async function loginBy(
  db: Reader,
  by: { readonly id: string } | { readonly familyHash: string },
): Promise<LoginRow | undefined> {
  return db
    .selectFrom("login")
    .selectAll()
    .where("id" in by ? "id" : "family_hash", "=", "id" in by ? by.id : by.familyHash)
    .executeTakeFirst();
}

/** Lists the logins of a person with the slugs of their organizations, newest first. */
export async function loginsOf(
  db: Reader,
  userId: string,
  usedAfterMs: number,
): Promise<(LoginRow & { readonly organization: string })[]> {
  return db
    .selectFrom("login as l")
    .innerJoin("organization as o", "o.id", "l.org_id")
    .selectAll("l")
    .select("o.slug as organization")
    .where("l.user_id", "=", userId)
    .where("l.last_used_at", ">", usedAfterMs)
    .orderBy("l.id", "desc")
    .execute();
}

/** Replaces the refresh token. Returns false if another request has used it before. */
export async function rotateLogin(
  tx: Writer,
  { id, refresh_hash: from }: Pick<LoginRow, "id" | "refresh_hash">,
  change: Partial<LoginRow>,
): Promise<boolean> {
  const rows = await tx
    .updateTable("login")
    .set(change)
    .where("id", "=", id)
    .where("refresh_hash", "=", from)
    .returning("id")
    .execute();
  return rows.length > 0;
}

/** Returns the deleted rows. */
export async function deleteLogins(
  tx: Writer,
  which: { readonly id: string; readonly userId?: string } | { readonly userId: string; readonly orgId?: string },
): Promise<LoginRow[]> {
  let query = tx.deleteFrom("login");
  if ("id" in which) query = query.where("id", "=", which.id);
  if (which.userId !== undefined) query = query.where("user_id", "=", which.userId);
  if ("orgId" in which && which.orgId !== undefined) query = query.where("org_id", "=", which.orgId);
  return query.returningAll().execute();
}

/** Deletes the logins of a person that were not used for longest, except `kept` of them. */
export async function deleteOldestLogins(tx: Writer, userId: string, kept: number): Promise<void> {
  const rows = await tx
    .selectFrom("login")
    .select("id")
    .where("user_id", "=", userId)
    .orderBy("last_used_at", "desc")
    .orderBy("id", "desc")
    .execute();
  const ids = rows.slice(kept).map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom("login").where("id", "in", ids).execute();
}

export async function deleteIdleLogins(tx: Writer, usedBeforeMs: Cutoff): Promise<void> {
  await tx.deleteFrom("login").where("last_used_at", "<=", usedBeforeMs).execute();
}

/** Adds a request and deletes expired ones. */
export async function insertRequest(tx: Writer, row: LoginRequest): Promise<void> {
  await tx.deleteFrom("login_request").where("expires_at", "<=", row.created_at).execute();
  await tx.insertInto("login_request").values(row).execute();
}

export async function countRequests(db: Reader, nowMs: number, ip?: string | null): Promise<number> {
  let query = db
    .selectFrom("login_request")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("expires_at", ">", nowMs);
  if (ip !== undefined) query = query.where("ip", ip === null ? "is" : "=", ip);
  return Number((await query.executeTakeFirstOrThrow()).n);
}

export async function requestBy(
  db: Reader,
  by: { readonly secretHash: string } | { readonly userCodeHash: string },
): Promise<LoginRequest | undefined> {
  return db
    .selectFrom("login_request")
    .selectAll()
    .where(
      "secretHash" in by ? "secret_hash" : "user_code_hash",
      "=",
      "secretHash" in by ? by.secretHash : by.userCodeHash,
    )
    .executeTakeFirst();
}

/** Changes a request that has this state. Returns false if another request was first. */
export async function changeRequest(
  tx: Writer,
  { secret_hash: hash, state }: Pick<LoginRequest, "secret_hash" | "state">,
  change: Partial<Omit<LoginRequest, "secret_hash">>,
): Promise<boolean> {
  const rows = await tx
    .updateTable("login_request")
    .set(change)
    .where("secret_hash", "=", hash)
    .where("state", "=", state)
    .returning("secret_hash")
    .execute();
  return rows.length > 0;
}
