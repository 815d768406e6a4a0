import type { SealedPlace } from "#domain/identity/index.ts";
import type { Job, JobHandler, JobOutcome } from "#stores/jobs/index.ts";
import { MESSAGE_WAIT_MS_MAX, sendMessage, waitAfter, type Sent } from "#stores/outbound/index.ts";
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
    waitMsMax: MESSAGE_WAIT_MS_MAX,
    run: (job) => attempt(deps, job),
    retryMs: () => RETRY_MS,
  };
}

async function attempt(deps: Deps, job: Job): Promise<JobOutcome> {
  const found = await deliveryWithDestination(deps.metadata.read, job.key);
  if (found === undefined || found.delivery.state !== "pending") return { dueAtMs: null };
  const { delivery, destination } = found;
  const sent = await send(deps, destination, delivery, job.signal);
  if (sent.delivered) return { dueAtMs: null, commit: (tx) => deleteDelivery(tx, delivery.id) };
  const waitMs = waitAfter(sent, delivery.attempts, deps.random());
  const set = {
    state: waitMs === null ? ("dead" as const) : ("pending" as const),
    attempts: delivery.attempts + 1,
    last_status: sent.status,
    last_error: sent.error,
  };
  const dueAtMs = waitMs === null ? null : deps.clock.nowMs() + waitMs;
  return { dueAtMs, commit: (tx) => setDelivery(tx, delivery.id, set) };
}

function send(deps: Deps, destination: DestinationRow, { id, body }: DeliveryRow, signal: AbortSignal): Promise<Sent> {
  const secrets = [deps.envelope.open(placeOf(destination.id), destination.secret).toString()];
  const headers = { "content-type": "application/json" };
  const nowMs = deps.clock.nowMs();
  return sendMessage(deps.outbound, { url: destination.url, id, body, headers, secrets, nowMs, signal });
}
