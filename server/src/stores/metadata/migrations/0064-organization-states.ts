import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Adds the state of an organization: the operator may suspend it. The index finds the few that are suspended. */
export async function organizationStates(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const organization = tx.schema.alterTable("organization");
  await organization.addColumn("state", "text", (column) => column.notNull().defaultTo("active")).execute();
  await organization.addColumn("state_reason", "text").execute();
  await organization.addColumn("suspended_at", integer).execute();
  await sql`create index organization__suspended on organization (id, state) where state <> 'active'`.execute(tx);
}
