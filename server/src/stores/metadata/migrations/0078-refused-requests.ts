import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds the refused requests of the last days. */
export async function refusedRequests(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  await create("refused_request", {
    columns: {
      id: "text",
      org_id: "text",
      client_id: "text?",
      actor_id: "text",
      at: "integer",
      bytes: "integer",
      record: "text",
    },
    primaryKey: ["id"],
    indexes: [
      ["org_id", "at", "id"],
      ["actor_id", "at", "id"],
      ["client_id", "at"],
      ["at", "bytes"],
    ],
  });
  await create("refused_repeat", {
    columns: { id: "text", request_id: "text", org_id: "text", client_id: "text?", at: "integer" },
    primaryKey: ["id"],
    indexes: [["request_id"], ["client_id", "at"], ["org_id"], ["at"]],
  });
}
