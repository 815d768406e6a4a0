import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Creates the tables of bucket notifications and of their undelivered events. `schema-s3.ts` says what the columns
 * mean.
 */
export async function s3Notifications(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  await create("s3_destination", {
    columns: { id: "text", org_id: "text", name: "text", url: "text", secret: "bytes", created_at: "integer" },
    primaryKey: ["id"],
    unique: [["org_id", "name"]],
    references: { org_id: "organization" },
  });
  await create("s3_delivery", {
    columns: {
      id: "text",
      org_id: "text",
      destination_id: "text",
      body: "text",
      state: "text",
      attempts: "integer",
      created_at: "integer",
      last_status: "integer?",
      last_error: "text?",
    },
    primaryKey: ["id"],
    indexes: [
      ["destination_id", "id"],
      ["state", "created_at"],
    ],
    references: { destination_id: "s3_destination" },
  });
}
