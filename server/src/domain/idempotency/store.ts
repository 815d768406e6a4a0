import type { Cutoff } from "#kernel/deletions.ts";
import type { Tables, Writer } from "#stores/metadata/index.ts";

type Row = Tables["idempotency"];
export type StoredAnswer = Pick<Row, "status" | "body" | "sealed">;
export type ClaimRow = Pick<Row, "key_hash" | "owner" | "fingerprint" | "created_at">;

/** Claims a new key. Returns false if a row exists. */
export async function insertClaim(tx: Writer, claim: ClaimRow): Promise<boolean> {
  const inserted = await tx
    .insertInto("idempotency")
    .values({ ...claim, status: 0, headers: "{}", body: "", sealed: null })
    .onConflict((conflict) => conflict.column("key_hash").doNothing())
    .returning("key_hash")
    .execute();
  return inserted.length > 0;
}

export async function findRecord(tx: Writer, keyHash: string): Promise<Row | undefined> {
  return tx.selectFrom("idempotency").selectAll().where("key_hash", "=", keyHash).executeTakeFirst();
}

/** Replaces an expired row. Returns false if another request was faster. */
export async function takeOver(tx: Writer, old: Row, claim: ClaimRow): Promise<boolean> {
  const taken = await tx
    .updateTable("idempotency")
    .set({ ...claim, status: 0, body: "", sealed: null })
    .where("key_hash", "=", old.key_hash)
    .where("owner", "=", old.owner)
    .where("status", "=", old.status)
    .returning("key_hash")
    .execute();
  return taken.length > 0;
}

/**
 * Stores the answer in the operation's own transaction. The transaction fails if the claim was taken over, because
 * another request runs the operation then.
 */
export function keepAnswer(
  tx: Writer,
  claim: { keyHash: string; owner: string },
  answer: StoredAnswer,
  orElse: () => Error,
): void {
  const kept = tx
    .updateTable("idempotency")
    .set(answer)
    .where("key_hash", "=", claim.keyHash)
    .where("owner", "=", claim.owner)
    .where("status", "=", 0);
  tx.defer(kept, { changes: 1, orElse });
}

/** Stores the answer, or replaces an earlier one. Does nothing if the claim was taken over. */
export async function completeClaim(
  tx: Writer,
  claim: { keyHash: string; owner: string },
  answer: StoredAnswer,
): Promise<void> {
  await tx
    .updateTable("idempotency")
    .set(answer)
    .where("key_hash", "=", claim.keyHash)
    .where("owner", "=", claim.owner)
    .execute();
}

export async function forgetSealed(tx: Writer, keyHash: string): Promise<void> {
  await tx.updateTable("idempotency").set({ sealed: null }).where("key_hash", "=", keyHash).execute();
}

/** Deletes the claim. Does nothing if it was taken over, or is complete. */
export async function deleteClaim(tx: Writer, claim: { keyHash: string; owner: string }): Promise<void> {
  await tx
    .deleteFrom("idempotency")
    .where("key_hash", "=", claim.keyHash)
    .where("owner", "=", claim.owner)
    .where("status", "=", 0)
    .execute();
}

export async function deleteOlder(tx: Writer, beforeMs: Cutoff): Promise<void> {
  await tx.deleteFrom("idempotency").where("created_at", "<", beforeMs).execute();
}
