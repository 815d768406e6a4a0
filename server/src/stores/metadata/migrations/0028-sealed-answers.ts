import type { MetadataStore, Writer } from "../types.ts";

/**
 * Stores answers that contain a secret, for requests with an idempotency key. They are sealed, and are deleted once
 * they were sent.
 */
export async function sealedAnswers(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema
    .alterTable("idempotency")
    .addColumn("sealed", dialect === "sqlite" ? "blob" : "bytea")
    .execute();
}
