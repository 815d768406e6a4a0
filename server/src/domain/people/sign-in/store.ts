import { sql } from "kysely";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type Attempt = Tables["sign_in_attempt"];

/** Adds an attempt and deletes expired ones. */
export async function insertAttempt(tx: Writer, row: Attempt): Promise<void> {
  await tx.deleteFrom("sign_in_attempt").where("expires_at", "<=", row.created_at).execute();
  await tx.insertInto("sign_in_attempt").values(row).execute();
}

export async function hasAttempt(db: Reader, ticketHash: string): Promise<boolean> {
  const row = await db
    .selectFrom("sign_in_attempt")
    .select("kind")
    .where("ticket_hash", "=", ticketHash)
    .executeTakeFirst();
  return row !== undefined;
}

/** Counts a try. Undefined if the attempt does not exist, has ended, or was tried too often. */
export async function countTry(
  tx: Writer,
  attempt: { ticketHash: string; kind: Attempt["kind"]; nowMs: number; triesMax: number },
): Promise<Attempt | undefined> {
  return tx
    .updateTable("sign_in_attempt")
    .set({ tries: sql`tries + 1` })
    .where("ticket_hash", "=", attempt.ticketHash)
    .where("kind", "=", attempt.kind)
    .where("expires_at", ">", attempt.nowMs)
    .where("tries", "<", attempt.triesMax)
    .returningAll()
    .executeTakeFirst();
}

/** Returns false if another request used it up first. */
export async function deleteAttempt(tx: Writer, ticketHash: string): Promise<boolean> {
  const rows = await tx
    .deleteFrom("sign_in_attempt")
    .where("ticket_hash", "=", ticketHash)
    .returning("ticket_hash")
    .execute();
  return rows.length > 0;
}
