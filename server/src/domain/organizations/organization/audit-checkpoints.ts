import { logName, makeCheckpoint, type CheckpointDeps } from "#domain/audit/index.ts";
import type { Job, JobHandler, Jobs } from "#stores/jobs/index.ts";
import { allOrganizations } from "./store.ts";

/** The job that sends checkpoints of audit logs. One node runs it at a time. */
const KIND = "audit.checkpoint";
const KEY = "all";
const EVERY_MS = 3_600_000;
const RETRY_MS = 300_000;

/** A checkpoint on its way to the receiver. */
export interface SentCheckpoint {
  /** The id of the organization, or `instance`. */
  readonly log: string;
  /** The number of the last entry. */
  readonly size: number;
  readonly note: string;
}

export interface CheckpointSending extends CheckpointDeps {
  /** Sends a checkpoint to the receiver. Rejects if the receiver does not have it. */
  readonly send: (checkpoint: SentCheckpoint, signal: AbortSignal) => Promise<void>;
}

export function checkpointHandler(deps: CheckpointSending): JobHandler {
  /** The size of each log when it was last sent. After a restart each log is sent again. */
  const sent = new Map<string | null, number>();
  return {
    kind: KIND,
    everyMs: EVERY_MS,
    concurrency: 1,
    concurrencyPerGroup: 1,
    waitMsMax: 2 * EVERY_MS,
    run: async (job: Pick<Job, "signal">) => {
      await sendCheckpoints(deps, sent, job.signal);
      return { dueAtMs: deps.clock.nowMs() + EVERY_MS };
    },
    retryMs: () => RETRY_MS,
  };
}

/** Creates the job if there is none, and makes it due at once. */
export async function startCheckpoints({ metadata, clock }: CheckpointSending, jobs: Jobs): Promise<void> {
  await metadata.write((tx) => jobs.put(tx, { kind: KIND, key: KEY, group: KIND, dueAtMs: clock.nowMs() }));
}

async function sendCheckpoints(
  deps: CheckpointSending,
  sent: Map<string | null, number>,
  signal: AbortSignal,
): Promise<void> {
  const send = async (orgId: string | null): Promise<void> => {
    const made = await makeCheckpoint(deps, orgId);
    if (made === null || sent.get(orgId) === made.size) return;
    await deps.send({ log: logName(orgId), size: made.size, note: made.note }, signal);
    sent.set(orgId, made.size);
  };
  await send(null);
  for await (const { id } of allOrganizations(deps.metadata.read)) await send(id);
}
