import { waitAfter } from "#domain/alerts/index.ts";
import type { SealedPlace } from "#domain/identity/index.ts";
import { signatureFields } from "#kernel/webhook-signature.ts";
import type { Job, JobHandler, JobOutcome } from "#stores/jobs/index.ts";
import { OutboundError } from "#stores/outbound/index.ts";
import type { S3Deps } from "../deps.ts";
import {
  deleteDelivery,
  deliveryWithDestination,
  setDelivery,
  type DeliveryRow,
  type DestinationRow,
} from "./store.ts";

export const DELIVER = "s3.deliver";

const RETRY_MS = 10_000;
const WAIT_MS_MAX = 86_400_000;
const GONE = 410;

type Deps = Pick<S3Deps, "metadata" | "clock" | "envelope" | "outbound"> & {
  /** From 0 to 1. */
  readonly random: () => number;
};

/** Where the secret of a destination is sealed to. */
export function placeOf(id: string): SealedPlace {
  return { table: "s3_destination", id, purpose: "webhook-secret", version: 1 };
}

/** Sends one message: one attempt is one run. What was delivered is forgotten. */
export function deliveryHandler(deps: Deps): JobHandler {
  return {
    kind: DELIVER,
    concurrency: 4,
    concurrencyPerGroup: 2,
    waitMsMax: WAIT_MS_MAX,
    run: (job) => attempt(deps, job),
    retryMs: () => RETRY_MS,
  };
}

async function attempt(deps: Deps, job: Job): Promise<JobOutcome> {
  const found = await deliveryWithDestination(deps.metadata.read, job.key);
  if (found === undefined || found.delivery.state !== "pending") return { dueAtMs: null };
  const { delivery, destination } = found;
  const sent = await send(deps, destination, delivery, job.signal);
  const isDelivered = sent.status !== null && sent.status >= 200 && sent.status < 300;
  if (isDelivered) return { dueAtMs: null, commit: (tx) => deleteDelivery(tx, delivery.id) };
  const waitMs = sent.status === GONE ? null : waitAfter(delivery.attempts, sent.retryAfterMs, deps.random());
  const set = {
    state: waitMs === null ? ("dead" as const) : ("pending" as const),
    attempts: delivery.attempts + 1,
    last_status: sent.status,
    last_error: sent.error,
  };
  const dueAtMs = waitMs === null ? null : deps.clock.nowMs() + waitMs;
  return { dueAtMs, commit: (tx) => setDelivery(tx, delivery.id, set) };
}

interface Sent {
  readonly status: number | null;
  readonly error: string | null;
  readonly retryAfterMs: number | null;
}

async function send(
  deps: Deps,
  destination: DestinationRow,
  { id, body }: DeliveryRow,
  signal: AbortSignal,
): Promise<Sent> {
  const secret = deps.envelope.open(placeOf(destination.id), destination.secret).toString();
  const message = { id, timestampS: Math.floor(deps.clock.nowMs() / 1000), body };
  const headers = { "content-type": "application/json", ...signatureFields(message, [secret]) };
  try {
    const { status, retryAfterMs } = await deps.outbound.post({ url: destination.url, headers, body, signal });
    return { status, error: null, retryAfterMs };
  } catch (error) {
    // One that the stop cut short counts as none: whoever takes the job over sends it.
    if (!(error instanceof OutboundError) || error.code === "cancelled") throw error;
    return { status: null, error: `${error.code}: ${error.message}`, retryAfterMs: null };
  }
}
