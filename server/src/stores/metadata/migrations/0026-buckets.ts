import type { MetadataStore, Writer } from "../types.ts";

/** How often a bucket was written to, so that what was read of it is known to be still right. */
export async function buckets(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema
    .alterTable("s3_usage")
    .addColumn("writes", dialect === "sqlite" ? "integer" : "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}
