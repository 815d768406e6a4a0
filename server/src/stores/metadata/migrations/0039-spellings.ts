import type { Writer } from "../types.ts";

/** By which spellings of levels the severities of a file of telemetry were derived; files from before know none of them. */
export async function spellings(tx: Writer): Promise<void> {
  await tx.schema
    .alterTable("telemetry_file")
    .addColumn("spellings", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
