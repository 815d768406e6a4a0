import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds the queries that run on each node. */
export async function runningQueries(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("running_query", {
    columns: {
      id: "text",
      org_id: "text",
      node_id: "text",
      actor_kind: "text",
      actor_id: "text",
      surface: "text",
      saved_query_id: "text?",
      request_id: "text?",
      statement: "text",
      state: "text",
      asked_at: "integer",
      started_at: "integer?",
      rows_planned: "integer?",
      bytes_planned: "integer?",
      cancelled_by: "text?",
    },
    primaryKey: ["id"],
    indexes: [["org_id", "id"], ["node_id"]],
  });
}
