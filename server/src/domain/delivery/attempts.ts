import { signatureFields } from "#kernel/webhook-signature.ts";
import { OutboundError, type Outbound } from "#stores/outbound/index.ts";

export interface Message {
  readonly url: string;
  /** The same for every attempt, so that a receiver can ignore duplicates. */
  readonly id: string;
  readonly body: string | Uint8Array;
  /** Header fields in addition to those of the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The message gets one signature for each secret. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** The result of one request. */
export interface Sent {
  /** Null: there was no answer. */
  readonly status: number | null;
  /** A readable reason why there was no answer. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
  readonly delivered: boolean;
  /**
   * The receiver answered 410. A sender then disables the destination (Standard Webhooks, "Operational
   * considerations").
   */
  readonly gone: boolean;
}

const GONE = 410;

/**
 * Makes one attempt to send a message, signed as Standard Webhooks defines. A refusal or a failed connection is a
 * result, too.
 * @throws OutboundError `cancelled`: the server stops; such an attempt does not count
 */
export async function sendMessage(outbound: Outbound, message: Message): Promise<Sent> {
  const { url, id, body, nowMs, signal } = message;
  const signature = signatureFields({ id, timestampS: Math.floor(nowMs / 1000), body }, message.secrets);
  try {
    const headers = { ...message.headers, ...signature };
    const { status, retryAfterMs } = await outbound.post({ url, headers, body, signal });
    return { status, error: null, retryAfterMs, delivered: status >= 200 && status < 300, gone: status === GONE };
  } catch (error) {
    if (!(error instanceof OutboundError) || error.code === "cancelled") throw error;
    const text = `${error.code}: ${error.message}`;
    return { status: null, error: text, retryAfterMs: null, delivered: false, gone: false };
  }
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The waits between attempts, about a day in total. */
const RETRY_DELAYS_MS: readonly number[] = [
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
/** Longer than any of the waits. */
export const WAIT_MS_MAX = 24 * HOUR_MS;
const RETRY_AFTER_MS_MAX = HOUR_MS;
/** Each wait varies by up to this share, so that the retries after one outage do not all come at the same moment. */
const JITTER = 0.2;

/** The changes to a delivery's row after an attempt. */
export interface Attempted {
  /** `dead`: it is not retried again. */
  readonly state: "pending" | "delivered" | "dead";
  readonly attempts: number;
  readonly last_attempt_at: number;
  readonly next_attempt_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

/** Returns the changes to a delivery. `attempts`: the number of earlier attempts. `random`: from 0 to 1. */
export function afterAttempt(
  sent: Sent,
  attempts: number,
  options: { readonly nowMs: number; readonly random: () => number; readonly waitMsMax?: number },
): Attempted {
  const { nowMs, random, waitMsMax = WAIT_MS_MAX } = options;
  const waitMs = sent.delivered || sent.gone ? null : waitAfter(attempts, sent.retryAfterMs ?? 0, random());
  return {
    state: sent.delivered ? "delivered" : waitMs === null ? "dead" : "pending",
    attempts: attempts + 1,
    last_attempt_at: nowMs,
    next_attempt_at: waitMs === null ? null : nowMs + Math.min(waitMs, waitMsMax),
    last_status: sent.status,
    last_error: sent.error,
  };
}

/** Returns the wait before the next attempt. The receiver may ask for up to an hour. Null: there is no next attempt. */
function waitAfter(attempts: number, retryAfterMs: number, random: number): number | null {
  const delayMs = RETRY_DELAYS_MS[attempts];
  if (delayMs === undefined) return null;
  const jittered = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
  return Math.max(jittered, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
}
