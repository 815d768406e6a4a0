import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Creates the table of deleted projects. Their telemetry stays visible to the same people until its retention ends. */
export async function deletedProject(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("deleted_project", {
    columns: { id: "text", org_id: "text", visibility: "text", deleted_at: "integer" },
    primaryKey: ["org_id", "id"],
  });
}
