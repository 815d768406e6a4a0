import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds the rules for rows that arrive. */
export async function ingestRules(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("ingest_rule", {
    columns: {
      id: "text",
      org_id: "text",
      project_id: "text?",
      sender: "text?",
      name: "text",
      enabled: "integer",
      position: "integer",
      types: "text",
      match: "text",
      action: "text",
      keep_one_of: "integer?",
      masks: "text?",
      rows_matched: "integer",
      rows_removed: "integer",
      rows_masked: "integer",
      counted_at: "integer?",
      created_by: "text",
      created_at: "integer",
      updated_by: "text",
      updated_at: "integer",
      revision: "integer",
    },
    primaryKey: ["id"],
    indexes: [["org_id", "id"], ["project_id"]],
    references: { org_id: "organization", project_id: "project" },
  });
}
