import type { Scope } from "@mooring/contract";
import type { Principal } from "#domain/identity/index.ts";
import { requireOrganization } from "#http/index.ts";
import type { RecordTable } from "#stores/telemetry/index.ts";

/** What a token needs besides `telemetry:read` to read a table of records: the same as for the operation that lists them. */
export const RECORD_SCOPES: Readonly<Record<RecordTable, Scope>> = { audit_log: "audit:read" };

/** Refuses a statement that reads records which the principal may not. @throws Problem `forbidden`, `insufficient_scope` */
export function requireRecords(principal: Principal): (table: RecordTable) => void {
  return (table) => {
    requireOrganization(principal, RECORD_SCOPES[table]);
  };
}
