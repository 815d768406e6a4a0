import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import type { Clock } from "#kernel/time.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { TELEMETRY_TYPES, type TelemetryType } from "#stores/telemetry/index.ts";
import { latestRevision, policyOf, putPolicy, type TelemetryPolicyRow } from "./store.ts";

export interface TelemetryDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
}

/** Days that rows are kept, by type; null: the server's default. */
export type RetentionDays = Readonly<Record<TelemetryType, number | null>>;

/** The limits that an operator sets for one organization. Null: the server's default. `NO_LIMIT`: no limit. */
export interface Quota {
  readonly stored_bytes_max: number | null;
  readonly ingest_bytes_per_second: number | null;
  readonly ingest_bytes_burst: number | null;
}

/** Returns the organization's own retention. */
export async function retentionDaysOf(deps: Pick<TelemetryDeps, "metadata">, orgId: string): Promise<RetentionDays> {
  return daysIn(await policyOf(deps.metadata.read, orgId));
}

/**
 * Changes the retention; absent members stay. Every server applies it within seconds.
 * @throws Problem `concurrent_update`
 */
export async function updateRetention(
  deps: TelemetryDeps,
  caller: Caller,
  orgId: string,
  { change, ifMatch }: { readonly change: Partial<RetentionDays>; readonly ifMatch?: string | undefined },
): Promise<RetentionDays> {
  const expected = await expectedOf(ifMatch, () => retentionDaysOf(deps, orgId));
  return changePolicy(deps, orgId, async (tx, before) => {
    requireMatch(expected, daysIn(before));
    const days = { ...daysIn(before), ...change };
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "telemetry.retention.update",
      target: { kind: "organization", id: orgId },
      detail: { before: daysIn(before), after: days },
    });
    const { logs, metrics, traces } = days;
    const columns = { retention_days_logs: logs, retention_days_metrics: metrics, retention_days_traces: traces };
    return { columns, result: days };
  });
}

export async function quotaOf(deps: Pick<TelemetryDeps, "metadata">, orgId: string): Promise<Quota> {
  return quotaIn(await policyOf(deps.metadata.read, orgId));
}

/** Only the operator may call this: an organization can't raise its own quota. */
export async function setQuota(
  deps: TelemetryDeps,
  by: Pick<AuditEvent, "actor" | "ip" | "requestId">,
  orgId: string,
  change: Partial<Quota>,
): Promise<Quota> {
  return changePolicy(deps, orgId, async (tx, before) => {
    const quota = { ...quotaIn(before), ...change };
    await appendAudit(deps, tx, {
      ...by,
      result: "success",
      orgId,
      action: "telemetry.quota.update",
      target: { kind: "organization", id: orgId },
      detail: { before: quotaIn(before), after: quota },
    });
    return { columns: quota, result: quota };
  });
}

/** Runs changes of all organizations one after another, so that their revisions have the order of their commits. */
async function changePolicy<T>(
  deps: TelemetryDeps,
  orgId: string,
  change: (
    tx: Writer,
    before: TelemetryPolicyRow | undefined,
  ) => Promise<{ columns: Partial<TelemetryPolicyRow>; result: T }>,
): Promise<T> {
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, "telemetry_policy");
    const before = await policyOf(tx, orgId);
    const revision = (await latestRevision(tx)) + 1;
    const { columns, result } = await change(tx, before);
    const unset = { ...daysColumns, ...quotaIn(undefined) };
    await putPolicy(tx, {
      ...unset,
      ...before,
      ...columns,
      org_id: orgId,
      revision,
      updated_at: deps.clock.nowMs(),
    });
    return result;
  });
}

const daysColumns = { retention_days_logs: null, retention_days_metrics: null, retention_days_traces: null };

function daysIn(row: TelemetryPolicyRow | undefined): RetentionDays {
  const days = TELEMETRY_TYPES.map((type) => [type, row?.[`retention_days_${type}`] ?? null]);
  return Object.fromEntries(days) as RetentionDays;
}

function quotaIn(row: TelemetryPolicyRow | undefined): Quota {
  return {
    stored_bytes_max: row?.stored_bytes_max ?? null,
    ingest_bytes_per_second: row?.ingest_bytes_per_second ?? null,
    ingest_bytes_burst: row?.ingest_bytes_burst ?? null,
  };
}
