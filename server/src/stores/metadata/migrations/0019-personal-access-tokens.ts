import type { Writer } from "../types.ts";

/**
 * Adds a person's own credentials. They are found by their secret, because a client sends the person's name instead of
 * a client ID.
 */
export async function personalAccessTokens(tx: Writer): Promise<void> {
  await tx.schema
    .alterTable("credential")
    .addColumn("kind", "text", (column) => column.notNull().defaultTo("app"))
    .execute();
  await tx.schema.createIndex("credential_secret__hash__index").on("credential_secret").column("hash").execute();
}
