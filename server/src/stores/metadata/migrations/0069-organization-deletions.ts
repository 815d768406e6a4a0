import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds the end of deleted organizations, and the slugs that stay reserved after it. */
export async function organizationDeletions(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const organization = tx.schema.alterTable("organization");
  await organization.addColumn("deletes_at", integer).execute();
  await organization.addColumn("before_deletion", "text").execute();
  await tableMaker(tx, dialect)("deleted_organization", {
    columns: { slug: "text", id: "text", deleted_at: "integer" },
    primaryKey: ["slug"],
  });
}
