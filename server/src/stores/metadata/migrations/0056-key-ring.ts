import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Adds the key ring. No sealed value and no hash changes: the first start stores the keys that were derived from the
 * master key until now. `hash_key` null means such a key.
 */
export async function keyRing(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const create = tableMaker(tx, dialect);
  await create("key", {
    columns: {
      id: "text",
      use: "text",
      purpose: "text",
      state: "text",
      master_id: "text",
      wrapped: "bytes",
      derived_from: "text?",
      made_at: "integer",
      retire_at: "integer?",
    },
    primaryKey: ["id"],
  });
  await create("key_rotation", {
    columns: { kind: "text", nonce: "text", step: "text", master_id: "text", leaked: "integer", started_at: "integer" },
    primaryKey: ["kind"],
  });
  for (const table of ["credential_secret", "webhook_url", "recovery_code"])
    await tx.schema.alterTable(table).addColumn("hash_key", text).execute();
  for (const column of ["master_ids", "key_ring"]) await tx.schema.alterTable("node").addColumn(column, text).execute();
}
