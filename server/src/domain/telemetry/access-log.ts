import type { AccessLogMode } from "@mooring/contract";
import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import { ACCESS_LOG_SAMPLE } from "#stores/telemetry/index.ts";
import { changePolicy, type TelemetryDeps } from "./policy.ts";
import { policyOf, type TelemetryPolicyRow } from "./store.ts";

/** What an organization's access log records. */
export interface AccessLogSettings {
  readonly mode: AccessLogMode;
  /** In mode `sampled`: one of this many reads has a row. */
  readonly sample_rate: number;
  /** Null: the server's default. */
  readonly retention_days: number | null;
}

export async function accessLogOf(deps: Pick<TelemetryDeps, "metadata">, orgId: string): Promise<AccessLogSettings> {
  return settingsIn(await policyOf(deps.metadata.read, orgId));
}

/**
 * Changes the settings; absent members stay. Every server applies them within seconds.
 * @throws Problem `concurrent_update`
 */
export async function updateAccessLog(
  deps: TelemetryDeps,
  caller: Caller,
  orgId: string,
  { change, ifMatch }: { readonly change: Partial<AccessLogSettings>; readonly ifMatch?: string | undefined },
): Promise<AccessLogSettings> {
  const expected = await expectedOf(ifMatch, () => accessLogOf(deps, orgId));
  return changePolicy(deps, orgId, async (tx, row) => {
    const before = settingsIn(row);
    requireMatch(expected, before);
    const after = { ...before, ...change };
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "access_log.update",
      target: { kind: "organization", id: orgId },
      detail: { before, after },
    });
    const columns = {
      access_log_mode: after.mode,
      access_log_sample: after.sample_rate,
      retention_days_access_log: after.retention_days,
    };
    return { columns, result: after };
  });
}

function settingsIn(row: TelemetryPolicyRow | undefined): AccessLogSettings {
  return {
    mode: (row?.access_log_mode ?? "off") as AccessLogMode,
    sample_rate: row?.access_log_sample ?? ACCESS_LOG_SAMPLE,
    retention_days: row?.retention_days_access_log ?? null,
  };
}
