import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import type { Clock } from "#kernel/time.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { TELEMETRY_TYPES, type TelemetryType } from "#stores/telemetry/index.ts";
import { formerColumns } from "./retention-former.ts";
import { latestRevision, policyOf, putPolicy, type TelemetryPolicyRow } from "./store.ts";

export interface TelemetryDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  /** How long a replaced retention still counts. Absent: not at all. */
  readonly retentionGraceMs?: number;
}

/** Days that rows are kept, by type; null: the server's default. */
export type RetentionDays = Readonly<Record<TelemetryType, number | null>>;

/** How far the time of a row may be from its arrival. Null: the server's default. */
export interface TimestampLimits {
  readonly behind_days: number | null;
  readonly ahead_seconds: number | null;
}

/** The settings of telemetry that the organization chooses. */
export interface TelemetryChoice {
  readonly retentionDays: RetentionDays;
  readonly timestamps: TimestampLimits;
}

export interface TelemetryChange {
  readonly retentionDays?: Partial<RetentionDays> | undefined;
  readonly timestamps?: Partial<TimestampLimits> | undefined;
}

/** The limits that an operator sets for one organization. Null: the server's default. `NO_LIMIT`: no limit. */
export interface Quota {
  readonly stored_bytes_max: number | null;
  readonly ingest_bytes_per_second: number | null;
  readonly ingest_bytes_burst: number | null;
}

/** Returns the organization's own settings. */
export async function telemetryChoiceOf(
  deps: Pick<TelemetryDeps, "metadata">,
  orgId: string,
): Promise<TelemetryChoice> {
  return choiceIn(await policyOf(deps.metadata.read, orgId));
}

/**
 * Changes the settings; absent members stay. Every server applies them within seconds.
 * @throws Problem `concurrent_update`
 */
export async function updateTelemetryChoice(
  deps: TelemetryDeps,
  caller: Caller,
  orgId: string,
  { change, ifMatch }: { readonly change: TelemetryChange; readonly ifMatch?: string | undefined },
): Promise<TelemetryChoice> {
  const expected = await expectedOf(ifMatch, () => telemetryChoiceOf(deps, orgId));
  return changePolicy(deps, orgId, async (tx, row) => {
    const before = choiceIn(row);
    requireMatch(expected, before);
    const after = {
      retentionDays: { ...before.retentionDays, ...change.retentionDays },
      timestamps: { ...before.timestamps, ...change.timestamps },
    };
    const audit = (action: string, detail: Record<string, unknown>): Promise<unknown> =>
      appendAudit(deps, tx, {
        ...auditOrigin(caller),
        orgId,
        action,
        target: { kind: "organization", id: orgId },
        detail,
      });
    if (change.retentionDays !== undefined) {
      await audit("telemetry.retention.update", { before: before.retentionDays, after: after.retentionDays });
    }
    if (change.timestamps !== undefined) {
      await audit("telemetry.timestamps.update", { before: before.timestamps, after: after.timestamps });
    }
    return { columns: columnsOf(after), result: after };
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
export async function changePolicy<T>(
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
    const unset = { ...columnsOf(choiceIn(undefined)), ...RULES_UNSET, ...LOGS_UNSET, ...quotaIn(undefined) };
    const after = { ...unset, ...before, ...columns };
    await putPolicy(tx, {
      ...after,
      ...formerColumns(deps, before, after),
      org_id: orgId,
      revision,
      updated_at: deps.clock.nowMs(),
    });
    return result;
  });
}

function columnsOf({ retentionDays: { logs, metrics, traces }, timestamps }: TelemetryChoice) {
  return {
    retention_days_logs: logs,
    retention_days_metrics: metrics,
    retention_days_traces: traces,
    timestamp_behind_days: timestamps.behind_days,
    timestamp_ahead_seconds: timestamps.ahead_seconds,
  };
}

const RULES_UNSET = { retention_rules: null, retention_before: null };
const LOGS_UNSET = {
  retention_days_access_log: null,
  access_log_mode: null,
  access_log_sample: null,
  retention_days_query_log: null,
  query_log_mode: null,
};

function choiceIn(row: TelemetryPolicyRow | undefined): TelemetryChoice {
  const days = TELEMETRY_TYPES.map((type) => [type, row?.[`retention_days_${type}`] ?? null]);
  return {
    retentionDays: Object.fromEntries(days) as RetentionDays,
    timestamps: {
      behind_days: row?.timestamp_behind_days ?? null,
      ahead_seconds: row?.timestamp_ahead_seconds ?? null,
    },
  };
}

function quotaIn(row: TelemetryPolicyRow | undefined): Quota {
  return {
    stored_bytes_max: row?.stored_bytes_max ?? null,
    ingest_bytes_per_second: row?.ingest_bytes_per_second ?? null,
    ingest_bytes_burst: row?.ingest_bytes_burst ?? null,
  };
}
