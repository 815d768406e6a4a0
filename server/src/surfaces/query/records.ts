import type { Scope } from "@mooring/contract";
import { authorize, type Principal, requireAnywhere, requireOrganization } from "#domain/identity/index.ts";
import type { RecordTable } from "#stores/telemetry/index.ts";

/**
 * The scope that a token needs, in addition to `telemetry:read`, to query a table of records: the scope of the
 * operation that lists them.
 */
export const RECORD_SCOPES: Readonly<Record<RecordTable, Scope>> = {
  audit_log: "audit:read",
  webhook_events: "webhooks:read",
  images: "registry:pull",
  files: "files:read",
  objects: "s3:read",
};

/**
 * Refuses a statement that reads tables of records without the principal's permission.
 * @throws Problem `forbidden`, `insufficient_scope`
 */
export function requireRecords(principal: Principal): (table: RecordTable) => void {
  return (table) => {
    const scope = RECORD_SCOPES[table];
    if (table === "audit_log") requireOrganization(principal, scope);
    // The project of a row decides who sees it. Every role that can read telemetry in a project can also read its
    // webhooks, files and objects and pull images.
    else requireAnywhere(principal, scope);
  };
}

/** As `requireRecords`, but returns the result. */
export function mayReadRecords(principal: Principal, table: RecordTable): boolean {
  const resource = table === "audit_log" ? { orgId: principal.orgId } : undefined;
  return authorize(principal, RECORD_SCOPES[table], resource) === "allowed";
}
