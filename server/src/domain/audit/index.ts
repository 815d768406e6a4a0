export { entriesToAddresses, formerAddresses } from "./addresses.ts";
export { appendAudit, type AuditDeps } from "./append.ts";
export type { AuditActorKind, AuditEvent, AuditResult, AuditRow } from "./event.ts";
export { exportAudit, findAuditEntry, listAudit } from "./list.ts";
export { auditRecords } from "./records.ts";
export {
  compareCheckpoints,
  isSignedByOne,
  logName,
  makeCheckpoint,
  parseNote,
  parseVerifier,
  type CheckpointDeps,
  type Compared,
  type NoteVerifier,
  type SignedCheckpoint,
  type SignedNote,
} from "./checkpoints/index.ts";
export { CUT_ACTION, cutAudit, type AuditSigner, type Cut, type CutOutcome } from "./cut.ts";
export { eraseFromAudit, type PersonToErase } from "./erase.ts";
export { lastAuditSeq } from "./seq.ts";
export type { AuditFilters } from "./store.ts";
export { repairAudit, type AuditRepair } from "./repair.ts";
export type { Declared } from "./declared.ts";
export { verifyAudit, type AuditVerdict } from "./verify.ts";
export type { AuditFault, Finding } from "./walk.ts";
