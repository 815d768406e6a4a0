import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Separates the personal parts of entries of the audit log from the hashed fields, and adds the list of deleted people
 * and the keys that signed cuts of the log.
 */
export async function leaving(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  for (const column of ["commitments", "personal"])
    await tx.schema.alterTable("audit").addColumn(column, text).execute();
  const table = tableMaker(tx, dialect);
  await table("audit_key", {
    columns: { kid: "text", alg: "text", public_jwk: "text", added_at: "integer" },
    primaryKey: ["kid"],
  });
  await table("deleted_person", {
    columns: { id: "text", deleted_at: "integer", about: "text", erased_at: "integer?" },
    primaryKey: ["id"],
  });
}
