import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type SessionRow = Tables["browser_session"];

export interface FoundSession {
  readonly session: SessionRow;
  readonly person: Pick<Tables["person"], "email" | "name" | "instance_admin">;
}

export async function sessionBy(
  db: Reader,
  by: { readonly secretHash: string } | { readonly id: string },
): Promise<FoundSession | undefined> {
  const row = await db
    .selectFrom("browser_session as s")
    .innerJoin("person as p", "p.id", "s.user_id")
    .selectAll("s")
    .select(["p.email", "p.name", "p.instance_admin"])
    .where("secretHash" in by ? "s.secret_hash" : "s.id", "=", "secretHash" in by ? by.secretHash : by.id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { email, name, instance_admin, ...session } = row;
  return { session, person: { email, name, instance_admin } };
}

export async function insertSession(tx: Writer, row: SessionRow): Promise<void> {
  await tx.insertInto("browser_session").values(row).execute();
}

/** Lists sessions, newest first. */
export async function sessionsOf(
  db: Reader,
  userId: string,
  alive: { readonly nowMs: number; readonly seenAfterMs: number },
): Promise<SessionRow[]> {
  return db
    .selectFrom("browser_session")
    .selectAll()
    .where("user_id", "=", userId)
    .where("expires_at", ">", alive.nowMs)
    .where("last_seen_at", ">", alive.seenAfterMs)
    .orderBy("id", "desc")
    .execute();
}

/** Returns the number of deleted sessions. */
export async function deleteSessions(
  tx: Writer,
  userId: string,
  which: { readonly id: string } | { readonly allBut: string | null },
): Promise<number> {
  const rows = await tx
    .deleteFrom("browser_session")
    .where("user_id", "=", userId)
    .$if("id" in which, (query) => query.where("id", "=", "id" in which ? which.id : ""))
    .$if("allBut" in which && which.allBut !== null, (query) =>
      query.where("id", "!=", "allBut" in which ? (which.allBut ?? "") : ""),
    )
    .returning("id")
    .execute();
  return rows.length;
}

export async function deleteEndedSessions(
  tx: Writer,
  ended: { readonly nowMs: Cutoff; readonly seenBeforeMs: Cutoff },
): Promise<void> {
  await tx
    .deleteFrom("browser_session")
    .where((row) => row.or([row("expires_at", "<=", ended.nowMs), row("last_seen_at", "<=", ended.seenBeforeMs)]))
    .execute();
}

export async function updateSession(
  tx: Writer,
  id: string,
  change: Partial<Pick<SessionRow, "secret_hash" | "confirmed_at" | "ip" | "user_agent" | "ended" | "second_factor">>,
): Promise<void> {
  await tx.updateTable("browser_session").set(change).where("id", "=", id).execute();
}

/** Sets the time of the session and the person. Other nodes write it too, so it is only replaced by a later time. */
export async function recordSeen(tx: Writer, seen: { id: string; userId: string; atMs: number }): Promise<void> {
  await tx
    .updateTable("browser_session")
    .set({ last_seen_at: seen.atMs })
    .where("id", "=", seen.id)
    .where("last_seen_at", "<", seen.atMs)
    .execute();
  await tx
    .updateTable("person")
    .set({ last_seen_at: seen.atMs })
    .where("id", "=", seen.userId)
    .where((row) => row.or([row("last_seen_at", "is", null), row("last_seen_at", "<", seen.atMs)]))
    .execute();
}
