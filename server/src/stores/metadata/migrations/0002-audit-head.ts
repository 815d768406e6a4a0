import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker } from "./tables.ts";

/** Filters of the audit log, each with the order of its list. */
const ASKED_BY = ["actor_id", "action", "target_id"] as const;

/** Stores the last row of each audit chain outside the log, so that rows missing at the log's end are noticed. */
export async function auditHead(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  await tableMaker(tx, dialect)("audit_head", {
    columns: { org_id: "text", seq: "integer", hash: "text" },
    primaryKey: ["org_id"],
  });
  for (const column of ASKED_BY) {
    const index = tx.schema.createIndex(`audit__org_id__${column}__seq__index`);
    await index.on("audit").columns(["org_id", column, "seq"]).execute();
  }
}
