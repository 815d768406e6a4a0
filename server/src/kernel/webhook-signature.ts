import { createHmac, randomBytes } from "node:crypto";

/** Signs webhooks as Standard Webhooks requires: HMAC-SHA-256 over `id.timestamp.body`. */

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** Creates a secret: `whsec_` and 256 random bits in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

export interface SignedMessage {
  /** Equal for all attempts, so that a receiver can drop repetitions. */
  readonly id: string;
  /** Time of this attempt, in seconds since the epoch. */
  readonly timestampS: number;
  /** The exact bytes that are sent. */
  readonly body: string | Uint8Array;
}

/**
 * Returns the header fields of a signed request. During a rotation there are two secrets, so there are two signatures.
 */
export function signatureFields(message: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const head = `${message.id}.${message.timestampS}.`;
  const signatures = secrets.map((secret) => `v1,${hmacOf(secret, head, message.body)}`);
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestampS),
    "webhook-signature": signatures.join(" "),
  };
}

function hmacOf(secret: string, head: string, body: string | Uint8Array): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return createHmac("sha256", key).update(head).update(body).digest("base64");
}
