import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Creates the daily usage. Projects and credentials may be deleted before their rows, so nothing is referenced. */
export async function usageDaily(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("usage_daily", {
    columns: {
      org_id: "text",
      day: "integer",
      project_id: "text",
      credential_id: "text",
      service: "text",
      requests: "integer",
      refused: "integer",
      bytes_in: "integer",
      bytes_out: "integer",
      bytes_scanned: "integer",
      bytes_stored: "integer",
    },
    primaryKey: ["org_id", "day", "project_id", "credential_id", "service"],
    indexes: [["day"]],
  });
}
