import {
  continueDeletions,
  deleteOrganization,
  eraseHandler,
  keepOrganization,
  type EraseDeps,
} from "#domain/organization-deletion/index.ts";
import type { OperatorCaller, StateChange } from "#domain/operator/index.ts";
import {
  continueErasures,
  deletePerson,
  erasureHandler,
  erasureJob,
  type PersonDeletion,
  type TracesDeps,
} from "#domain/people/index.ts";
import {
  auditRetentionHandler,
  checkpointHandler,
  startAuditRetention,
  startCheckpoints,
} from "#domain/organizations/index.ts";
import type { Identity } from "#domain/identity/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { RECORD_TABLE_NAMES, type TelemetryStore } from "#stores/telemetry/index.ts";
import { noteDeletions, noteDeletionsIn, openBackupPlace } from "./backup/index.ts";
import { checkpointSender } from "./checkpoint-receiver.ts";
import type { Config } from "./config.ts";

/** Deletes people and organizations, with jobs that erase the rest, and entries of audit logs past their retention. */
export interface Leaving {
  deletePerson(deletion: PersonDeletion): Promise<void>;
  deleteOrganization(by: OperatorCaller, orgId: string): Promise<StateChange>;
  keepOrganization(by: OperatorCaller, orgId: string): Promise<StateChange>;
  /** Starts the jobs, and continues those of a server that ended. */
  start(): Promise<void>;
}

export interface LeavingParts {
  readonly config: Config;
  readonly portalUrl: string;
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly jobs: Jobs;
  readonly telemetry: Pick<TelemetryStore, "forgetRecords" | "queries" | "refresh">;
  readonly objects: EraseDeps["objects"];
  readonly identity: Pick<Identity, "envelope" | "feed" | "keys">;
  readonly log: { error(fields: object, message: string): void };
}

export function createLeaving(parts: LeavingParts): Leaving {
  const { config, metadata, clock, jobs, telemetry, objects, identity, log } = parts;
  const people: TracesDeps = {
    metadata,
    clock,
    note: () => noteEverywhere(config, metadata),
    forgetCaches: () => telemetry.forgetRecords("audit_log"),
  };
  const { keys: signer, feed } = identity;
  const organizations = { metadata, clock, feed, jobs };
  const erasing = { metadata, clock, feed, objects, ...cachesOf(telemetry) };
  const retention = { metadata, clock, log, signer, defaultDays: config.audit_retention_days };
  const { audit_checkpoints_url: url } = config;
  const sending = { metadata, clock, envelope: identity.envelope, instance: new URL(parts.portalUrl).host };
  const checkpoints = url === null ? null : { ...sending, send: checkpointSender(config, clock, url) };
  return {
    deletePerson: (deletion) =>
      deletePerson(people, deletion, (tx) => jobs.put(tx, erasureJob(deletion.userId, clock.nowMs()))),
    deleteOrganization: (by, orgId) => deleteOrganization(organizations, by, orgId),
    keepOrganization: (by, orgId) => keepOrganization(organizations, by, orgId),
    start: async () => {
      await continueErasures(people, (tx, job) => jobs.put(tx, job));
      await continueDeletions(erasing, (tx, job) => jobs.put(tx, job));
      await startAuditRetention(retention, jobs);
      if (checkpoints !== null) {
        await startCheckpoints(checkpoints, jobs);
        jobs.start([checkpointHandler(checkpoints)]);
      }
      jobs.start([erasureHandler(people), eraseHandler(erasing), auditRetentionHandler(retention)]);
    },
  };
}

/** Lists deletions in the data directory and beside the backups, so that a restore repeats them. */
async function noteEverywhere(config: Config, metadata: MetadataStore): Promise<void> {
  await noteDeletions(metadata, config.data_dir);
  if (config.backup_dir === null) return;
  const archive = await openBackupPlace(config, config.backup_dir);
  try {
    await noteDeletionsIn(archive, metadata);
  } finally {
    archive.close();
  }
}

function cachesOf(telemetry: LeavingParts["telemetry"]): Pick<EraseDeps, "refreshTelemetry" | "forgetCaches"> {
  return {
    refreshTelemetry: () => telemetry.refresh(),
    forgetCaches: async () => {
      for (const table of RECORD_TABLE_NAMES) await telemetry.forgetRecords(table);
    },
  };
}
