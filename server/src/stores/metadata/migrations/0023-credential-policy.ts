import type { Writer } from "../types.ts";

/** From where credentials and access keys may be used, and whether somebody must still approve them. */
export async function credentialPolicy(tx: Writer): Promise<void> {
  for (const table of ["credential", "s3_key"]) {
    await tx.schema.alterTable(table).addColumn("allowed_addresses", "text").execute();
    await tx.schema
      .alterTable(table)
      .addColumn("pending", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  }
}
