import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Creates the counts of refused entries of telemetry. */
export async function refusedEntries(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("refused_entries", {
    columns: {
      org_id: "text",
      hour: "integer",
      sender_kind: "text",
      sender_id: "text",
      project_id: "text",
      protocol: "text",
      type: "text",
      reason: "text",
      entries: "integer",
      requests: "integer",
      last_at: "integer",
      samples: "text",
    },
    primaryKey: ["org_id", "hour", "sender_id", "project_id", "protocol", "type", "reason"],
    indexes: [["hour"]],
  });
}
