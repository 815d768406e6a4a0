import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** The tables whose rows have a role. */
const WITH_ROLE = ["member", "invitation", "project_member", "project_group"] as const;

/** Adds custom roles. The indexes find the rows that have one. */
export async function customRoles(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const make = tableMaker(tx, dialect);
  await make("custom_role", {
    columns: {
      id: "text",
      org_id: "text",
      slug: "text",
      name: "text",
      kind: "text",
      scopes: "text",
      created_by: "text",
      created_at: "integer",
    },
    primaryKey: ["id"],
    unique: [["org_id", "slug"]],
    indexes: [["org_id", "id"]],
    references: { org_id: "organization" },
  });
  for (const table of WITH_ROLE) {
    await tx.schema.alterTable(table).addColumn("custom_role", "text").execute();
    await sql
      .raw(`create index ${table}__custom_role on ${table} (custom_role) where custom_role is not null`)
      .execute(tx);
  }
}
