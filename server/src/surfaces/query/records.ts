import type { Scope } from "@mooring/contract";
import { authorize, type Principal, requireAnywhere, requireOrganization } from "#domain/identity/index.ts";
import type { RecordTable } from "#stores/telemetry/index.ts";

/**
 * The scope that a token needs, in addition to `telemetry:read`, to read a table of records: that of the operation that
 * lists them.
 */
export const RECORD_SCOPES: Readonly<Record<RecordTable, Scope>> = {
  audit_log: "audit:read",
  webhook_events: "webhooks:read",
  images: "registry:pull",
  files: "files:read",
  objects: "s3:read",
};

/** Refuses a statement that reads records which the principal may not. @throws Problem `forbidden`, `insufficient_scope` */
export function requireRecords(principal: Principal): (table: RecordTable) => void {
  return (table) => {
    const scope = RECORD_SCOPES[table];
    if (table === "audit_log") requireOrganization(principal, scope);
    // Which rows are seen is decided by their project. Every role that reads telemetry there reads webhooks, files and objects and pulls images, too.
    else requireAnywhere(principal, scope);
  };
}

/** The same as a question. */
export function mayReadRecords(principal: Principal, table: RecordTable): boolean {
  const resource = table === "audit_log" ? { orgId: principal.orgId } : undefined;
  return authorize(principal, RECORD_SCOPES[table], resource) === "allowed";
}
