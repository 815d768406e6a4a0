import type { Envelope } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { Job, JobHandler, JobOutcome } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { MESSAGE_WAIT_MS_MAX, sendMessage, waitAfter, type Outbound, type Sent } from "#stores/outbound/index.ts";
import { secretsOf } from "./secrets.ts";
import { alertById, deliveryById, setDelivery, type Alert, type DeliveryRow } from "./store.ts";

export interface DeliverDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly envelope: Envelope;
  readonly outbound: Outbound;
  /** From 0 to 1. */
  readonly random: () => number;
}

export const DELIVER = "alert.deliver";

const RETRY_MS = 10_000;

/** Sends one message: one attempt is one run. */
export function deliveryHandler(deps: DeliverDeps): JobHandler {
  return {
    kind: DELIVER,
    concurrency: 4,
    concurrencyPerGroup: 2,
    waitMsMax: MESSAGE_WAIT_MS_MAX,
    run: (job) => attempt(deps, job),
    retryMs: () => RETRY_MS,
  };
}

async function attempt(deps: DeliverDeps, job: Job): Promise<JobOutcome> {
  const delivery = await deliveryById(deps.metadata.read, job.key);
  if (delivery === undefined || delivery.state !== "pending") return { dueAtMs: null };
  const alert = await alertById(deps.metadata.read, delivery.org_id, delivery.alert_id);
  if (alert === undefined) return { dueAtMs: null };
  return outcomeOf(deps, delivery, await send(deps, alert, delivery, job.signal));
}

async function send(deps: DeliverDeps, alert: Alert, { id, body }: DeliveryRow, signal: AbortSignal): Promise<Sent> {
  const nowMs = deps.clock.nowMs();
  const secrets = secretsOf(deps.envelope, alert, nowMs);
  const headers = { "content-type": "application/json" };
  return sendMessage(deps.outbound, { url: alert.url, id, body, headers, secrets, nowMs, signal });
}

function outcomeOf(deps: DeliverDeps, delivery: DeliveryRow, sent: Sent): JobOutcome {
  const nowMs = deps.clock.nowMs();
  const waitMs = waitAfter(sent, delivery.attempts, deps.random());
  const dueAtMs = waitMs === null ? null : nowMs + waitMs;
  const set = {
    state: sent.delivered ? "delivered" : waitMs === null ? "dead" : "pending",
    attempts: delivery.attempts + 1,
    last_attempt_at: nowMs,
    next_attempt_at: dueAtMs,
    last_status: sent.status,
    last_error: sent.error,
  } as const;
  return { dueAtMs, commit: (tx) => setDelivery(tx, delivery.id, set) };
}
