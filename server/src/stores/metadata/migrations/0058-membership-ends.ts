import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Adds the ends of memberships. Null: no end. The indexes find those that end soon. */
export async function membershipEnds(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  for (const table of ["member", "project_member"])
    await tx.schema.alterTable(table).addColumn("expires_at", integer).execute();
  await tx.schema.alterTable("invitation").addColumn("membership_expires_at", integer).execute();
  for (const table of ["member", "project_member"])
    await sql
      .raw(`create index ${table}__ends on ${table} (org_id, expires_at) where expires_at is not null`)
      .execute(tx);
}
