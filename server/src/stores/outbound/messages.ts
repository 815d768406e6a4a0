import { signatureFields } from "#kernel/webhook-signature.ts";
import { OutboundError } from "./failure.ts";
import type { Outbound } from "./types.ts";

export interface Message {
  readonly url: string;
  /** The same for every attempt, so that a receiver can drop repetitions. */
  readonly id: string;
  readonly body: string | Uint8Array;
  /** Beside those of the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** Each signs. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly signal: AbortSignal;
}

/** What came of one request. */
export interface Sent {
  /** Null where no answer came. */
  readonly status: number | null;
  /** Why none came, for people. */
  readonly error: string | null;
  readonly retryAfterMs: number | null;
  readonly delivered: boolean;
  /** It answered 410: a sender stops sending there (Standard Webhooks, "Operational considerations"). */
  readonly gone: boolean;
}

const GONE = 410;

/**
 * One attempt at a message, signed as Standard Webhooks says. What its receiver or the way there refuses is an outcome.
 * @throws OutboundError `cancelled`: one that a stop cut short counts as none
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
/** Longer than any of the waits. */
export const MESSAGE_WAIT_MS_MAX = 24 * HOUR_MS;
const RETRY_AFTER_MS_MAX = HOUR_MS;
/** So much longer or shorter, so that the messages of one outage do not all come back at one moment. */
const JITTER = 0.2;

/**
 * How long to wait when one more attempt has come to this after `attempts` before it, of which the receiver may ask for up
 * to an hour; null: there is no further one. `random` is from 0 to 1.
 */
export function waitAfter(
  sent: Pick<Sent, "delivered" | "gone" | "retryAfterMs">,
  attempts: number,
  random: number,
): number | null {
  const delayMs = RETRY_DELAYS_MS[attempts];
  if (sent.delivered || sent.gone || delayMs === undefined) return null;
  const jittered = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
  return Math.max(jittered, Math.min(sent.retryAfterMs ?? 0, RETRY_AFTER_MS_MAX));
}
