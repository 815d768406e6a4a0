import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** The column of each table. */
const ENDS = { member: "expires_at", project_member: "expires_at", invitation: "membership_expires_at" } as const;

/** Adds the ends of memberships. Null: no end. The indexes find those that end soon. */
export async function membershipEnds(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  for (const [table, column] of Object.entries(ENDS))
    await tx.schema.alterTable(table).addColumn(column, integer).execute();
  for (const [table, column] of Object.entries(ENDS))
    await sql
      .raw(`create index ${table}__ends on ${table} (org_id, ${column}) where ${column} is not null`)
      .execute(tx);
}
