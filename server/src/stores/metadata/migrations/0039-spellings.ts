import type { Writer } from "../types.ts";

/** The version of the spellings of levels that gave a telemetry file its severities; older files have none. */
export async function spellings(tx: Writer): Promise<void> {
  await tx.schema
    .alterTable("telemetry_file")
    .addColumn("spellings", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
