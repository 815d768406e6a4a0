import type { MetadataStore, Writer } from "../types.ts";
import { tableMaker, type TableDefinition } from "./tables.ts";

/** Counts the requests of credentials, and indexes the audit log by result and by request. */
export async function activity(tx: Writer, dialect: MetadataStore["dialect"]): Promise<void> {
  const create = tableMaker(tx, dialect);
  for (const [name, definition] of Object.entries(TABLES)) await create(name, definition);
  for (const column of ["result", "request_id"] as const) {
    const index = tx.schema.createIndex(`audit__org_id__${column}__seq__index`);
    await index.on("audit").columns(["org_id", column, "seq"]).execute();
  }
}

// No references: counted objects may be deleted before the counts are written. Such counts are deleted within two days.
const TABLES: Readonly<Record<string, TableDefinition>> = {
  credential_activity: {
    columns: {
      credential_id: "text",
      hour: "integer",
      service: "text",
      ip: "text",
      user_agent: "text",
      requests: "integer",
      refused: "integer",
      last_at: "integer",
    },
    primaryKey: ["credential_id", "hour", "service", "ip", "user_agent"],
    indexes: [["hour"]],
  },
  credential_minute: {
    columns: { credential_id: "text", minute: "integer", requests: "integer", refused: "integer" },
    primaryKey: ["credential_id", "minute"],
    indexes: [["minute"]],
  },
  organization_activity: {
    columns: {
      org_id: "text",
      hour: "integer",
      service: "text",
      requests: "integer",
      refused: "integer",
      limited: "integer",
    },
    primaryKey: ["org_id", "hour", "service"],
    indexes: [["hour"]],
  },
};
