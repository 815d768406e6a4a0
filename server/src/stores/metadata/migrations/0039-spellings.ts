import type { Writer } from "../types.ts";

/**
 * Adds the version of the level spellings that set the severities of a telemetry file. Older files have none.
 */
export async function spellings(tx: Writer): Promise<void> {
  await tx.schema
    .alterTable("telemetry_file")
    .addColumn("spellings", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
