import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** The last row of each chain of the audit log, beside the log: rows taken off its end are missed. */
export async function auditHead(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("audit_head", {
    columns: { org_id: "text", seq: "integer", hash: "text" },
    primaryKey: ["org_id"],
  });
}
