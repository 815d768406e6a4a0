import { cutAudit, type AuditSigner } from "#domain/audit/index.ts";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { Job, JobHandler, Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { policyOf } from "./organization.ts";
import { allOrganizations } from "./store.ts";

/** The job that deletes entries of audit logs past their retention. One node runs it at a time. */
const CUT = "audit.cut";
const KEY = "all";
const DAY_MS = 86_400_000;
const EVERY_MS = 6 * 3_600_000;
const RETRY_MS = 600_000;

interface RetentionDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly signer: AuditSigner;
  readonly log: { error(fields: object, message: string): void };
  /** Days for the instance's log, and for organizations that have not set their own. Null: entries are kept for ever. */
  readonly defaultDays: number | null;
}

export function auditRetentionHandler(deps: RetentionDeps): JobHandler {
  return {
    kind: CUT,
    everyMs: EVERY_MS,
    concurrency: 1,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * EVERY_MS,
    run: async (job: Pick<Job, "signal">) => {
      await applyAuditRetention(deps, job.signal);
      return { dueAtMs: deps.clock.nowMs() + EVERY_MS };
    },
    retryMs: () => RETRY_MS,
  };
}

/** Creates the job if there is none, and makes it due at once. */
export async function startAuditRetention({ metadata, clock }: RetentionDeps, jobs: Jobs): Promise<void> {
  await metadata.write((tx) => jobs.put(tx, { kind: CUT, key: KEY, group: CUT, dueAtMs: clock.nowMs() }));
}

/** Cuts the logs of the instance and of all organizations. A broken log stays whole, and is reported. */
export async function applyAuditRetention(deps: RetentionDeps, signal?: AbortSignal): Promise<void> {
  const { metadata, clock, log, defaultDays } = deps;
  const cut = async (orgId: string | null, days: number | null): Promise<void> => {
    const nowMs = days === null ? null : clock.deletionTime("audit_log");
    if (nowMs === null || days === null) return;
    const outcome = await cutAudit(deps, orgId, earlier(nowMs, days * DAY_MS), signal);
    if ("fault" in outcome)
      log.error({ organization: orgId, fault: outcome.fault.detail }, "cannot delete old entries: the log is broken");
  };
  await cut(null, defaultDays);
  for await (const organization of allOrganizations(metadata.read))
    await cut(organization.id, policyOf(organization).audit_retention_days ?? defaultDays);
}
