import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Deleted projects: their telemetry stays until its retention, with its visibility. */
export async function deletedProject(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("deleted_project", {
    columns: { id: "text", org_id: "text", visibility: "text", deleted_at: "integer" },
    primaryKey: ["org_id", "id"],
  });
}
