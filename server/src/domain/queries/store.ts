import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type RunningQueryRow = Tables["running_query"];

/** Lists the queries of an organization on other nodes that are alive, oldest first. */
export async function rowsElsewhere(
  db: Reader,
  orgId: string,
  { nodeId, seenSinceMs }: { readonly nodeId: string; readonly seenSinceMs: number },
): Promise<RunningQueryRow[]> {
  return db
    .selectFrom("running_query")
    .innerJoin("node", "node.id", "running_query.node_id")
    .selectAll("running_query")
    .where("running_query.org_id", "=", orgId)
    .where("running_query.node_id", "!=", nodeId)
    .where("node.seen_at", ">=", seenSinceMs)
    .orderBy("running_query.id", "asc")
    .execute();
}

/** Records who cancelled these queries. Their nodes end them. Returns the ids of those that are there. */
export async function markCancelled(tx: Writer, orgId: string, ids: readonly string[], by: string): Promise<string[]> {
  const found = await tx
    .updateTable("running_query")
    .set({ cancelled_by: by })
    .where("org_id", "=", orgId)
    .where("id", "in", ids)
    .returning("id")
    .execute();
  return found.map(({ id }) => id);
}

export async function cancelledOn(db: Reader, nodeId: string): Promise<{ id: string; by: string }[]> {
  const rows = await db
    .selectFrom("running_query")
    .select(["id", "cancelled_by"])
    .where("node_id", "=", nodeId)
    .where("cancelled_by", "is not", null)
    .execute();
  return rows.map(({ id, cancelled_by }) => ({ id, by: cancelled_by ?? "" }));
}

export async function insertRunning(tx: Writer, row: RunningQueryRow): Promise<void> {
  await tx.insertInto("running_query").values(row).execute();
}

export async function setProgress(
  tx: Writer,
  { id, state, started_at, rows_planned, bytes_planned }: RunningQueryRow,
): Promise<void> {
  await tx
    .updateTable("running_query")
    .set({ state, started_at, rows_planned, bytes_planned })
    .where("id", "=", id)
    .execute();
}

export async function deleteRunning(tx: Writer, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom("running_query").where("id", "in", ids).execute();
}

/** Deletes the rows of nodes that have stopped. */
export async function deleteOfStopped(tx: Writer, seenSinceMs: number): Promise<void> {
  const alive = tx.selectFrom("node").select("id").where("seen_at", ">=", seenSinceMs);
  await tx.deleteFrom("running_query").where("node_id", "not in", alive).execute();
}

export async function deleteOfNode(tx: Writer, nodeId: string): Promise<void> {
  await tx.deleteFrom("running_query").where("node_id", "=", nodeId).execute();
}
