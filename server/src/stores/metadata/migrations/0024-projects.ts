import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** Adds the environment of a project, and when it was archived. */
export async function projects(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  await tx.schema.alterTable("project").addColumn("environment", text).execute();
  await tx.schema.alterTable("project").addColumn("archived_at", integer).execute();
}
