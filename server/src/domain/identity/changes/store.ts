import type { Cutoff } from "#kernel/deletions.ts";
import type { Insertable, Selectable } from "kysely";
import { prepared, type Reader, type Tables, type Writer } from "#stores/metadata/index.ts";

export type ChangeRow = Selectable<Tables["auth_change"]>;
export type ChangeKind = ChangeRow["kind"];

/** Returns the number of the last change of any permissions. While it is the same, cached rows of keys are valid. */
export async function lastAccessChange(db: Reader): Promise<number> {
  const [row] = await LAST_ACCESS_CHANGE.execute(db);
  return row?.seq ?? 0;
}

// With `max`, SQLite's query plan has a single step, so the statement runs in this thread.
const LAST_ACCESS_CHANGE = prepared((db) =>
  db.selectFrom("auth_change").select((eb) => eb.fn.max<number | null>("seq").as("seq")),
);

export async function insertChange(tx: Writer, row: Insertable<Tables["auth_change"]>): Promise<void> {
  await tx.insertInto("auth_change").values(row).execute();
}

/** Returns the rows from `seq` on, inclusive, in order. */
export async function changesFrom(db: Reader, seq: number, limit: number): Promise<ChangeRow[]> {
  return db.selectFrom("auth_change").selectAll().where("seq", ">=", seq).orderBy("seq").limit(limit).execute();
}

/** Returns tokens that were made void before their expiry. */
export async function voidTokens(db: Reader, nowMs: number): Promise<ChangeRow[]> {
  return db.selectFrom("auth_change").selectAll().where("kind", "=", "token").where("expires_at", ">", nowMs).execute();
}

/** Deletes rows that every node has read. The last row stays, because numbers continue from it. */
export async function pruneChanges(tx: Writer, options: { beforeMs: Cutoff; nowMs: Cutoff }): Promise<void> {
  const last = await lastAccessChange(tx);
  await tx
    .deleteFrom("auth_change")
    .where("seq", "<", last)
    .where("at", "<", options.beforeMs)
    .where((row) => row.or([row("expires_at", "is", null), row("expires_at", "<", options.nowMs)]))
    .execute();
}

export async function upsertNode(tx: Writer, node: Insertable<Tables["node"]>): Promise<void> {
  await tx
    .insertInto("node")
    .values(node)
    .onConflict((row) =>
      row.column("id").doUpdateSet({
        applied_seq: node.applied_seq,
        seen_at: node.seen_at,
        master_ids: node.master_ids,
        key_ring: node.key_ring,
      }),
    )
    .execute();
}

export async function deleteNode(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("node").where("id", "=", id).execute();
}

export async function deleteNodesSeenBefore(tx: Writer, beforeMs: Cutoff): Promise<void> {
  await tx.deleteFrom("node").where("seen_at", "<", beforeMs).execute();
}

/** Returns the ids of live nodes that have not yet applied `seq`. */
export async function nodesBehind(
  db: Reader,
  options: { seq: number; seenSinceMs: number; exceptId: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom("node")
    .select("id")
    .where("applied_seq", "<", options.seq)
    .where("seen_at", ">=", options.seenSinceMs)
    .where("id", "!=", options.exceptId)
    .execute();
  return rows.map((row) => row.id);
}
