import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Adds when an owner entered a private project, and the reason that they gave. Null: somebody made them a member. */
export async function projectEntries(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  await tx.schema.alterTable("project_member").addColumn("entered_at", integer).execute();
  await tx.schema.alterTable("project_member").addColumn("entered_reason", "text").execute();
}
