import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Blobs of the object layer. `schema.ts` says what the columns mean. */
export async function objects(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const make = tableMaker(tx, dialect);
  await make("blob", {
    columns: {
      id: "text",
      org_id: "text",
      place: "text",
      store_id: "text",
      state: "text",
      size: "integer",
      refs: "integer",
      idle_since: "integer?",
      sha256: "text?",
      digests: "text",
      created_at: "integer",
    },
    primaryKey: ["id"],
    indexes: [["idle_since"]],
  });
  await make("blob_data", { columns: { id: "text", data: "bytes" }, primaryKey: ["id"], references: { id: "blob" } });
  await make("blob_part", {
    columns: {
      blob_id: "text",
      position: "integer",
      seq: "integer",
      number: "integer",
      part_id: "text",
      start: "integer",
      length: "integer",
    },
    primaryKey: ["blob_id", "position", "seq"],
    indexes: [["part_id"]],
    references: { blob_id: "blob", part_id: "blob" },
  });
}
