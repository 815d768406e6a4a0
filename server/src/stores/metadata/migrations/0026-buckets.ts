import type { MetadataStore, Writer } from "../types.ts";

/** Counts the writes to a bucket, so that a cached copy of its rows can be checked. */
export async function buckets(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema
    .alterTable("s3_usage")
    .addColumn("writes", dialect === "sqlite" ? "integer" : "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}
