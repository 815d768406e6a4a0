import { newId } from "#kernel/ids.ts";
import type { World } from "../../organization/testing/world.ts";

const NODE = "node_2";

/** Records a query that runs on another node. Returns its id. */
export async function runElsewhere(world: World, orgId: string, nodeId = NODE): Promise<string> {
  const at = world.clock.nowMs();
  const id = newId("stmt", at);
  const seen = nodeId === NODE ? at + 600_000 : at - 600_000;
  const node = { id: nodeId, applied_seq: 0, started_at: at, seen_at: seen };
  const row = {
    id,
    org_id: orgId,
    node_id: nodeId,
    actor_kind: "person",
    actor_id: "user_2",
    surface: "query",
    saved_query_id: null,
    request_id: "req_2",
    statement: "SELECT 2",
    state: "running",
    asked_at: at,
    started_at: at,
    rows_planned: 10,
    bytes_planned: 20,
    cancelled_by: null,
  };
  await world.metadata.write(async (tx) => {
    await tx
      .insertInto("node")
      .values(node)
      .onConflict((on) => on.doNothing())
      .execute();
    await tx.insertInto("running_query").values(row).execute();
  });
  return id;
}
