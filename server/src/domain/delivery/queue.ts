import type { Envelope } from "#domain/identity/index.ts";
import { organizationForbids } from "#domain/suspension/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Job, JobHandler, JobOutcome, Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";
import { afterAttempt, sendMessage, WAIT_MS_MAX } from "./attempts.ts";
import { MESSAGES, type MessageKind } from "./kinds.ts";
import { signingSecrets } from "./secrets.ts";

export interface SendingDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly envelope: Envelope;
  readonly outbound: Outbound;
  /** From 0 to 1. */
  readonly random: () => number;
}

const RETRY_MS = 10_000;

/**
 * Puts messages whose rows were just inserted into the queue, in the same transaction. So both are committed, or
 * neither.
 */
export async function sendSoon(
  jobs: Jobs,
  tx: Writer,
  kind: keyof typeof MESSAGES,
  { orgId, ids, atMs }: { readonly orgId: string; readonly ids: readonly string[]; readonly atMs: number },
): Promise<void> {
  const { job } = MESSAGES[kind];
  await jobs.put(tx, ...ids.map((id) => ({ kind: job, key: id, group: orgId, dueAtMs: atMs })));
}

/** Handles the jobs of one kind of message. Each run is one attempt to send one message. */
export function messageHandler(deps: SendingDeps, name: keyof typeof MESSAGES): JobHandler {
  const kind: MessageKind = MESSAGES[name];
  return {
    kind: kind.job,
    concurrency: 4,
    concurrencyPerGroup: 2,
    waitMsMax: WAIT_MS_MAX,
    waits: (orgId) => organizationForbids(deps.metadata.read, orgId, "deliver"),
    run: (job) => attempt(deps, kind, job),
    retryMs: () => RETRY_MS,
  };
}

async function attempt(deps: SendingDeps, kind: MessageKind, { key: id, signal }: Job): Promise<JobOutcome> {
  const { metadata, clock, envelope, outbound, random } = deps;
  const pending = await kind.find(metadata.read, id);
  if (pending === undefined) return { dueAtMs: null };
  const { url, body, destination_id, ...row } = pending;
  const nowMs = clock.nowMs();
  const secrets = signingSecrets(envelope, kind.secretsIn, { ...row, id: destination_id }, nowMs);
  const headers = { "content-type": "application/json" };
  const sent = await sendMessage(outbound, { url, id, body, headers, secrets, nowMs, signal });
  const attempted = afterAttempt(sent, row.attempts, { nowMs: clock.nowMs(), random });
  return { dueAtMs: attempted.next_attempt_at, commit: (tx) => kind.settle(tx, id, attempted) };
}
