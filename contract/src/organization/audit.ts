import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery } from "../shared.ts";
import { AuditEntry, AuditResultName, AuditVerification, Id, page } from "./shapes.ts";

const auditFilters = {
  actor: Type.Optional(Type.String({ maxLength: 64, description: "id of the person or credential" })),
  action: Type.Optional(
    Type.String({ maxLength: 64, description: "an action, or the beginning of its name: `project.`" }),
  ),
  target: Type.Optional(Type.String({ maxLength: 128, description: "id of the object that the action changed" })),
  result: Type.Optional(AuditResultName),
  request_id: Type.Optional(Type.String({ maxLength: 128, description: "`Request-Id` of the request that did it" })),
  from: Type.Optional(Type.String({ format: "date-time", description: "at this time or later" })),
  to: Type.Optional(Type.String({ format: "date-time", description: "before this time" })),
};

export const AUDIT_ROWS = {
  listAudit: route({
    operationId: "listAudit",
    method: "GET",
    path: "/v1/audit",
    tag: "audit",
    summary: "List the entries of the audit log, newest first",
    permission: "audit:read",
    query: Type.Object({ ...CursorQuery, ...auditFilters }),
    result: page(AuditEntry),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  getAuditEntry: route({
    operationId: "getAuditEntry",
    method: "GET",
    path: "/v1/audit/{entry_id}",
    tag: "audit",
    summary: "Read one entry of the audit log",
    permission: "audit:read",
    params: Type.Object({ entry_id: Id }),
    result: AuditEntry,
    status: 200,
    problems: ["forbidden", "not_found"],
  }),
  exportAudit: route({
    operationId: "exportAudit",
    method: "GET",
    path: "/v1/audit/export",
    tag: "audit",
    summary: "Export the audit log as NDJSON, oldest first; as a stream",
    permission: "audit:read",
    query: Type.Object(auditFilters),
    status: 200,
    problems: ["invalid_parameter", "forbidden"],
  }),
  verifyAudit: route({
    operationId: "verifyAudit",
    method: "GET",
    path: "/v1/audit/verify",
    tag: "audit",
    summary: "Verify the whole log, and report the first gap or edit",
    permission: "audit:read",
    result: AuditVerification,
    status: 200,
    problems: ["forbidden"],
  }),
} as const;
