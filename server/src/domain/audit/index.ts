export { appendAudit, type AuditDeps } from "./append.ts";
export type { AuditActorKind, AuditEvent, AuditResult, AuditRow } from "./event.ts";
export { exportAudit, findAuditEntry, listAudit } from "./list.ts";
export { auditRecords } from "./records.ts";
export { lastAuditSeq } from "./seq.ts";
export type { AuditFilters } from "./store.ts";
export { verifyAudit, type AuditFault, type AuditVerdict } from "./verify.ts";
