import type { QueryLogMode } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import { changePolicy, type TelemetryDeps } from "./policy.ts";
import { policyOf, type TelemetryPolicyRow } from "./store.ts";

/** Whether an organization's statements are recorded. */
export interface QueryLogSettings {
  readonly mode: QueryLogMode;
  /** Null: the server's default. */
  readonly retention_days: number | null;
}

export async function queryLogOf(deps: Pick<TelemetryDeps, "metadata">, orgId: string): Promise<QueryLogSettings> {
  return settingsIn(await policyOf(deps.metadata.read, orgId));
}

/**
 * Changes the settings; absent members stay. Every server applies them within seconds.
 * @throws Problem `concurrent_update`
 */
export async function updateQueryLog(
  deps: TelemetryDeps,
  caller: Caller,
  orgId: string,
  { change, ifMatch }: { readonly change: Partial<QueryLogSettings>; readonly ifMatch?: string | undefined },
): Promise<QueryLogSettings> {
  const expected = await expectedOf(ifMatch, () => queryLogOf(deps, orgId));
  return changePolicy(deps, orgId, async (tx, row) => {
    const before = settingsIn(row);
    requireMatch(expected, before);
    const after = { ...before, ...change };
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "query_log.update",
      target: { kind: "organization", id: orgId },
      detail: { before, after },
    });
    return { columns: { query_log_mode: after.mode, retention_days_query_log: after.retention_days }, result: after };
  });
}

function settingsIn(row: TelemetryPolicyRow | undefined): QueryLogSettings {
  return {
    mode: (row?.query_log_mode ?? "all") as QueryLogMode,
    retention_days: row?.retention_days_query_log ?? null,
  };
}
