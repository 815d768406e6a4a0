import { isoFromMs } from "#kernel/time.ts";
import type { RecordSource } from "#stores/telemetry/index.ts";
import type { AuditDeps } from "./append.ts";
import type { AuditRow } from "./event.ts";
import { exportAudit } from "./list.ts";

/** Exports the audit log of an organization as rows of the table `audit_log`. The mark is the number in the chain. */
export function auditRecords(deps: Pick<AuditDeps, "metadata">): RecordSource {
  return {
    rowsAfter: async function* (orgId, mark) {
      for await (const row of exportAudit(deps, orgId, {}, undefined, { afterSeq: mark })) {
        yield { mark: row.seq, row: () => recordOf(row) };
      }
    },
  };
}

function recordOf(row: AuditRow) {
  const { id, action, actor_kind, actor_id, target_kind, target_id, result, ip, request_id, detail } = row;
  const timestamp = isoFromMs(row.at);
  return { timestamp, id, action, actor_kind, actor_id, target_kind, target_id, result, ip, request_id, detail };
}
