import type { Writer } from "../types.ts";

/** What the manifest needs to merge files by day and to know which attributes have a column of their own. */
export async function telemetryFiles(tx: Writer): Promise<void> {
  await tx.schema
    .alterTable("telemetry_file")
    .addColumn("day", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await tx.schema
    .alterTable("telemetry_file")
    .addColumn("promoted", "text", (column) => column.notNull().defaultTo("[]"))
    .execute();
}
