import { isoFromMs } from "#kernel/time.ts";
import type { RecordSource } from "#stores/telemetry/index.ts";
import type { Reader } from "#stores/metadata/index.ts";
import type { AuditDeps } from "./append.ts";
import { CUT_ACTION } from "./cut.ts";
import { ERASE_ACTION } from "./erase.ts";
import type { AuditRow } from "./event.ts";
import { exportAudit } from "./list.ts";
import { rowsByTime } from "./store.ts";

/** Exports the audit log of an organization as rows of the table `audit_log`. The mark is the number in the chain. */
export function auditRecords(deps: Pick<AuditDeps, "metadata">): RecordSource {
  return {
    // Erasures and cuts change and delete entries.
    generation: (orgId) => lastChangeSeq(deps.metadata.read, orgId),
    rowsAfter: async function* (orgId, mark) {
      for await (const row of exportAudit(deps, orgId, {}, undefined, { afterSeq: mark })) {
        yield { mark: row.seq, row: () => recordOf(row) };
      }
    },
  };
}

async function lastChangeSeq(db: Reader, orgId: string): Promise<number> {
  let seq = 0;
  for (const action of [ERASE_ACTION, CUT_ACTION]) {
    const page = { filters: { action }, limit: 1, order: "desc", behind: undefined } as const;
    for (const row of await rowsByTime(db, orgId, page)) seq = Math.max(seq, row.seq);
  }
  return seq;
}

function recordOf(row: AuditRow) {
  const { id, action, actor_kind, actor_id, target_kind, target_id, result, ip, request_id, detail } = row;
  const timestamp = isoFromMs(row.at);
  return { timestamp, id, action, actor_kind, actor_id, target_kind, target_id, result, ip, request_id, detail };
}
