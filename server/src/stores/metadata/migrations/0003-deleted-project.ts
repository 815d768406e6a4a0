import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Projects that are gone: telemetry sent for them stays until its retention, and stays as visible as it was. */
export async function deletedProject(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("deleted_project", {
    columns: { id: "text", org_id: "text", visibility: "text", deleted_at: "integer" },
    primaryKey: ["org_id", "id"],
  });
}
