import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Counts the files of each name in each place. So a page of names, or the total of a prefix, costs one row per name.
 * The new index finds the newest file of a name in a place at the end of a range. `schema-files.ts` says what the
 * columns mean.
 */
export async function fileNames(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("file_name", {
    columns: { org_id: "text", filename: "text", place: "text", files: "integer" },
    primaryKey: ["org_id", "filename", "place"],
    indexes: [["org_id", "place", "filename"]],
    references: { org_id: "organization" },
  });
  await sql`insert into file_name (org_id, filename, place, files)
    select org_id, filename, coalesce(project_id, ''), count(*) from file
    group by org_id, filename, coalesce(project_id, '')`.execute(tx);
  await tx.schema.dropIndex("file__org_id__filename__created_at__id__project_id__index").execute();
  await tx.schema
    .createIndex("file__org_id__filename__project_id__created_at__id__index")
    .on("file")
    .columns(["org_id", "filename", "project_id", "created_at", "id"])
    .execute();
  await tx.schema
    .createIndex("trashed_file__org_id__purge_at__project_id__size__index")
    .on("trashed_file")
    .columns(["org_id", "purge_at", "project_id", "size"])
    .execute();
}
