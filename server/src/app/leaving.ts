import {
  continueErasures,
  deletePerson,
  erasureHandler,
  erasureJob,
  type PersonDeletion,
  type TracesDeps,
} from "#domain/people/index.ts";
import { auditRetentionHandler, startAuditRetention } from "#domain/organizations/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import { noteDeletions } from "./backup/index.ts";
import type { Config } from "./config.ts";

/** Deletes people, with a job that erases their traces, and entries of audit logs past their retention. */
export interface Leaving {
  deletePerson(deletion: PersonDeletion): Promise<void>;
  /** Starts the jobs, and continues those of a server that ended. */
  start(): Promise<void>;
}

export function createLeaving(parts: {
  readonly config: Pick<Config, "audit_retention_days" | "data_dir" | "backup_dir">;
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly jobs: Jobs;
  readonly telemetry: Pick<TelemetryStore, "forgetRecords">;
  readonly identity: Pick<Identity, "keys">;
  readonly log: { error(fields: object, message: string): void };
}): Leaving {
  const { config, metadata, clock, jobs, telemetry, identity, log } = parts;
  const directories = [config.data_dir, ...(config.backup_dir === null ? [] : [config.backup_dir])];
  const deps: TracesDeps = {
    metadata,
    clock,
    note: () => noteDeletions(metadata, directories),
    forgetCaches: () => telemetry.forgetRecords("audit_log"),
  };
  const { keys: signer } = identity;
  const retention = { metadata, clock, log, signer, defaultDays: config.audit_retention_days };
  return {
    deletePerson: (deletion) =>
      deletePerson(deps, deletion, (tx) => jobs.put(tx, erasureJob(deletion.userId, clock.nowMs()))),
    start: async () => {
      await continueErasures(deps, (tx, job) => jobs.put(tx, job));
      await startAuditRetention(retention, jobs);
      jobs.start([erasureHandler(deps), auditRetentionHandler(retention)]);
    },
  };
}
