import Type from "typebox";
import { route } from "../route.ts";
import { CursorQuery, Timestamp } from "../shared.ts";
import { AuditEntry, AuditResultName, Id, nullable, page } from "./shapes.ts";

const AUDIT_FAULTS = ["gap", "edited", "unlinked", "truncated", "head"] as const;

const AuditCheckpoint = Type.Object({
  size: Type.Integer({ description: "number of the last entry" }),
  note: Type.String({
    description:
      "signed note (C2SP) with the name of the log, the number and the hash of its last entry; keep it elsewhere, for `mooring audit verify --against`",
  }),
  keys: Type.Array(Type.String(), { description: "public keys that verify the note; the newest first" }),
});

const AuditVerification = Type.Object({
  ok: Type.Boolean(),
  entries: Type.Integer({ description: "valid entries in a row, from the first one, or from the newest cut" }),
  head_hash: nullable(
    Type.String({
      description: "hash of the last entry of a valid log; store it in another place to compare it later",
    }),
  ),
  fault: nullable(
    Type.Object({
      kind: Type.Enum([...AUDIT_FAULTS]),
      seq: Type.Integer(),
      detail: Type.String(),
    }),
  ),
  declared: Type.Array(
    Type.Object({
      kind: Type.Enum([...AUDIT_FAULTS]),
      from: Type.Integer({ description: "number of the first affected entry" }),
      to: Type.Integer({ description: "number of the last affected entry" }),
      detail: Type.String(),
      entry: Type.Integer({ description: "number of the entry that declares the fault" }),
      at: Timestamp,
    }),
    { description: "earlier faults that an operator declared with `mooring audit repair`; they stay in the log" },
  ),
  erased: Type.Integer({
    description: "number of entries without the personal parts of deleted people; erasures in the log name them",
  }),
  cut: nullable(
    Type.Object({
      from: Type.Integer({
        description: "number of the first entry that the newest cut deleted; an entry is deleted past its retention",
      }),
      to: Type.Integer({ description: "number of the last deleted entry; the verification begins after it" }),
      deleted: Type.Integer({ description: "number of entries that all cuts deleted" }),
      hash: Type.String({ description: "hash of the last deleted entry" }),
      key_id: Type.String({ description: "the server's key that signed the cut" }),
      entry: Type.Integer({ description: "number of the entry that records the cut" }),
      at: Timestamp,
    }),
  ),
  checkpoint: nullable(AuditCheckpoint),
});

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
    access: "audit.read",
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
    access: "audit.read",
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
    access: "export.run",
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
