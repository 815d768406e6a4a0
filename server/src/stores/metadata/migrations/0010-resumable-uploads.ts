import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Uploads that come in several requests. `schema.ts` says what the columns mean. */
export async function resumableUploads(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tx.schema.alterTable("upload_grant").addColumn("metadata", "text").execute();
  await tableMaker(tx, dialect)("upload_part", {
    columns: { grant_id: "text", start: "integer", org_id: "text", size: "integer", blob_id: "text" },
    primaryKey: ["grant_id", "start"],
    indexes: [["blob_id"]],
    references: { grant_id: "upload_grant", blob_id: "blob" },
  });
}
