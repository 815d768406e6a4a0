import type { MetadataStore, Writer } from "../types.ts";

/** The number of writes to a bucket, so that a copy of its rows is known to be current. */
export async function buckets(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema
    .alterTable("s3_usage")
    .addColumn("writes", dialect === "sqlite" ? "integer" : "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
}
