import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Adds the trash of webhooks, images, repositories, apps and projects, and the deletion lock of projects. A row of
 * `app` or `project` with `trashed_at` is in the trash. Its slug is in `former_slug`, because it is free again.
 */
export async function trash(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "postgres" ? sql`bigint` : sql`integer`;
  const text = dialect === "postgres" ? sql`text collate "C"` : sql`text`;
  for (const table of ["app", "project"]) {
    await tx.schema.alterTable(table).addColumn("trashed_at", integer).execute();
    await tx.schema.alterTable(table).addColumn("former_slug", text).execute();
  }
  const project = tx.schema.alterTable("project");
  await project.addColumn("deletion_lock", integer, (column) => column.notNull().defaultTo(0)).execute();
  await tableMaker(tx, dialect)("trash_item", {
    columns: {
      id: "text",
      org_id: "text",
      project_id: "text",
      kind: "text",
      object_id: "text",
      keeper_id: "text?",
      name: "text",
      detail: "text",
      deleted_by: "text?",
      deleted_at: "integer",
      purge_at: "integer",
    },
    primaryKey: ["id"],
    indexes: [["org_id", "id"], ["org_id", "kind", "id"], ["project_id", "id"], ["purge_at"], ["object_id"]],
    references: { org_id: "organization", project_id: "project" },
  });
}
