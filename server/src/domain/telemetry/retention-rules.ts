import { appendAudit } from "#domain/audit/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import {
  choiceOf,
  formerOf,
  TELEMETRY_TYPES,
  type FormerChoice,
  type RetentionChoice,
  type RetentionRule,
} from "#stores/telemetry/index.ts";
import { changePolicy, type RetentionDays, type TelemetryDeps } from "./policy.ts";
import { policyOf, type TelemetryPolicyRow } from "./store.ts";

/** An organization's rules, its days of rows that no rule matches, and what it had before and still counts. */
export interface RetentionRules extends RetentionChoice {
  readonly former: readonly FormerChoice[];
}

export async function retentionRulesOf(
  deps: Pick<TelemetryDeps, "metadata" | "clock">,
  orgId: string,
): Promise<RetentionRules> {
  return rulesIn(await policyOf(deps.metadata.read, orgId), deps.clock.nowMs());
}

/** The members whose change is a new version. */
export function versionOf({ rules, days }: RetentionChoice): object {
  return { rules, days };
}

/**
 * Replaces the rules, and the days that are given. Every server applies them within seconds.
 * @throws Problem `concurrent_update`, `limit_reached`
 */
export async function putRetentionRules(
  deps: TelemetryDeps,
  caller: Caller,
  orgId: string,
  wanted: {
    readonly rules: readonly RetentionRule[];
    readonly days: Partial<RetentionDays>;
    readonly ifMatch?: string | undefined;
  },
): Promise<RetentionRules> {
  const expected = await expectedOf(wanted.ifMatch, async () => versionOf(await retentionRulesOf(deps, orgId)));
  await changePolicy(deps, orgId, async (tx, row) => {
    const before = choiceOf(row);
    requireMatch(expected, versionOf(before));
    const after = { rules: wanted.rules, days: { ...before.days, ...wanted.days } };
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "telemetry.retention.update",
      target: { kind: "organization", id: orgId },
      detail: { before: versionOf(before), after: versionOf(after) },
    });
    const columns = {
      retention_rules: JSON.stringify(wanted.rules),
      ...Object.fromEntries(TELEMETRY_TYPES.map((type) => [`retention_days_${type}`, after.days[type] ?? null])),
    };
    return { columns, result: undefined };
  });
  return retentionRulesOf(deps, orgId);
}

function rulesIn(row: TelemetryPolicyRow | undefined, nowMs: number): RetentionRules {
  return { ...choiceOf(row), former: formerOf(row).filter(({ untilMs }) => untilMs > nowMs) };
}
