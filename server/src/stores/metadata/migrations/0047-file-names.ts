import { sql } from "kysely";
import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * How many files each name has in each place, so that a page of names, and the total of a prefix, cost as many rows as there are names. `schema-files.ts` says what
 * the columns mean. The newest file of a name in a place is the end of a range of the new index.
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
