import type { MetadataStore, Writer } from "../types.ts";

/** Answers to requests with an idempotency key that show a secret: sealed, until they have left the server. */
export async function sealedAnswers(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema
    .alterTable("idempotency")
    .addColumn("sealed", dialect === "sqlite" ? "blob" : "bytea")
    .execute();
}
