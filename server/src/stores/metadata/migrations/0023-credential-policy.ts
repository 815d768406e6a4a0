import type { Writer } from "../types.ts";

/** Adds the addresses from which credentials and S3 keys may be used, and whether they wait for approval. */
export async function credentialPolicy(tx: Writer): Promise<void> {
  for (const table of ["credential", "s3_key"]) {
    await tx.schema.alterTable(table).addColumn("allowed_addresses", "text").execute();
    await tx.schema
      .alterTable(table)
      .addColumn("pending", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  }
}
