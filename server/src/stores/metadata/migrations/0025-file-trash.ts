import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Adds the trash: deleted files that can still be restored. `schema-files.ts` says what the columns mean. */
export async function fileTrash(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const integer = dialect === "sqlite" ? "integer" : "bigint";
  for (const column of ["trashed_files", "trashed_bytes"]) {
    const table = tx.schema.alterTable("file_usage");
    await table.addColumn(column, integer, (build) => build.notNull().defaultTo(0)).execute();
  }
  await tx.schema.alterTable("file_policy").addColumn("trash_days", integer).execute();
  await tableMaker(tx, dialect)("trashed_file", {
    columns: {
      id: "text",
      org_id: "text",
      project_id: "text?",
      filename: "text",
      content_type: "text",
      size: "integer",
      sha256: "text",
      blob_id: "text",
      created_by: "text",
      created_at: "integer",
      deleted_by: "text?",
      deleted_at: "integer",
      purge_at: "integer",
    },
    primaryKey: ["id"],
    // The first index has all columns that pages and totals need.
    indexes: [
      ["org_id", "deleted_at", "id", "project_id", "purge_at", "size"],
      ["purge_at"],
      ["project_id"],
      ["blob_id"],
    ],
    references: { org_id: "organization", project_id: "project", blob_id: "blob" },
  });
}
