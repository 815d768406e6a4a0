import type { Writer } from "../types.ts";

/** Adds columns to merge telemetry files by day, and to list the attributes with separate columns. */
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
