import type { Envelope } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import { signatureFields } from "#kernel/webhook-signature.ts";
import type { Job, JobHandler, JobOutcome } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { OutboundError, type Outbound } from "#stores/outbound/index.ts";
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

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits between the attempts; about a day in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];
const RETRY_AFTER_MS_MAX = HOUR_MS;
/** Longer than any of the waits. */
const WAIT_MS_MAX = 24 * HOUR_MS;
/** So much longer or shorter, so that the messages of one outage do not all come back at one moment. */
const JITTER = 0.2;
const GONE = 410;
const RETRY_MS = 10 * SECOND_MS;

/** Sends one message: one attempt is one run. */
export function deliveryHandler(deps: DeliverDeps): JobHandler {
  return {
    kind: DELIVER,
    concurrency: 4,
    concurrencyPerGroup: 2,
    waitMsMax: WAIT_MS_MAX,
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

interface Sent {
  readonly status: number | null;
  readonly error: string | null;
  readonly retryAfterMs: number | null;
}

async function send(deps: DeliverDeps, alert: Alert, delivery: DeliveryRow, signal: AbortSignal): Promise<Sent> {
  const nowMs = deps.clock.nowMs();
  const { id, body } = delivery;
  const message = { id, timestampS: Math.floor(nowMs / SECOND_MS), body };
  const signature = signatureFields(message, secretsOf(deps.envelope, alert, nowMs));
  const headers = { "content-type": "application/json", ...signature };
  try {
    const answer = await deps.outbound.post({ url: alert.url, headers, body, signal });
    return { status: answer.status, error: null, retryAfterMs: answer.retryAfterMs };
  } catch (error) {
    // One that the stop cut short counts as none: whoever takes the job over sends it.
    if (!(error instanceof OutboundError) || error.code === "cancelled") throw error;
    return { status: null, error: `${error.code}: ${error.message}`, retryAfterMs: null };
  }
}

function outcomeOf(deps: DeliverDeps, delivery: DeliveryRow, sent: Sent): JobOutcome {
  const nowMs = deps.clock.nowMs();
  const { status } = sent;
  const delivered = status !== null && status >= 200 && status < 300;
  const waitMs = delivered || status === GONE ? null : waitAfter(delivery.attempts, sent.retryAfterMs, deps.random());
  const dueAtMs = waitMs === null ? null : nowMs + waitMs;
  const set = {
    state: delivered ? "delivered" : waitMs === null ? "dead" : "pending",
    attempts: delivery.attempts + 1,
    last_attempt_at: nowMs,
    next_attempt_at: dueAtMs,
    last_status: status,
    last_error: sent.error,
  } as const;
  return { dueAtMs, commit: (tx) => setDelivery(tx, delivery.id, set) };
}

/** How long to wait when one more attempt has failed after so many before; null: there is no further one. */
export function waitAfter(attempts: number, retryAfterMs: number | null, random: number): number | null {
  const delayMs = RETRY_DELAYS_MS[attempts];
  if (delayMs === undefined) return null;
  const jittered = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
  return Math.max(jittered, Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX));
}
