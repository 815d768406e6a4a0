import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";

/** One column for the state of a project, in place of a column for each: a new state needs no migration. */
export async function projectStates(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const project = tx.schema.alterTable("project");
  await project.addColumn("state", text, (column) => column.notNull().defaultTo("active")).execute();
  await project.addColumn("state_since", integer).execute();
  await sql`update project set state = 'archived', state_since = archived_at where archived_at is not null`.execute(tx);
  for (const index of ["project__archived", "project__open"]) await tx.schema.dropIndex(index).execute();
  await project.dropColumn("archived_at").execute();
  await sql`create index project__archived on project (org_id, id) where state = 'archived'`.execute(tx);
  await sql`create index project__not_archived on project (org_id, id) where state <> 'archived'`.execute(tx);
}
