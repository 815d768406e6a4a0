import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/**
 * Adds the origins of pages that may upload. The second index finds an origin of any organization, because a preflight
 * names none.
 */
export async function fileOrigins(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("file_origin", {
    columns: { org_id: "text", origin: "text" },
    primaryKey: ["org_id", "origin"],
    indexes: [["origin", "org_id"]],
    references: { org_id: "organization" },
  });
}
