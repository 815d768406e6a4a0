import type { Writer } from "../types.ts";

/** Credentials that are a person's own, found by their secret: who shows one names the person, not the credential. */
export async function personalAccessTokens(tx: Writer): Promise<void> {
  await tx.schema
    .alterTable("credential")
    .addColumn("kind", "text", (column) => column.notNull().defaultTo("app"))
    .execute();
  await tx.schema.createIndex("credential_secret__hash__index").on("credential_secret").column("hash").execute();
}
