/** The request is not signed with the secret, or it is too old. */
export class WebhookSignatureError extends Error {
  constructor(reason: string) {
    super(`cannot verify the webhook: ${reason}`);
    this.name = "WebhookSignatureError";
  }
}

export interface WebhookRequest {
  /** `whsec_…`. During a rotation, give the new and the old secret. */
  readonly secret: string | readonly string[];
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The received bytes or text. A body that was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** The current time in milliseconds since the epoch. Default: `Date.now()`. */
  readonly nowMs: number;
}

export interface VerifiedWebhook {
  /** All attempts of one message have the same id. Ignore a message if you have already processed its id. */
  readonly id: string;
  /** Time of this attempt, in milliseconds since the epoch. */
  readonly sentAtMs: number;
}

/** Requests from further in the past or future are refused, so that nobody can replay them. */
const TOLERANCE_S = 5 * 60;

/**
 * Verifies the signature of an alert's message, a bucket's message or a forwarded event (Standard Webhooks).
 * @throws WebhookSignatureError
 */
export async function verifyWebhook({ secret, headers, body, nowMs }: WebhookRequest): Promise<VerifiedWebhook> {
  const id = fieldOf(headers, "webhook-id");
  const timestamp = fieldOf(headers, "webhook-timestamp");
  const signatures = fieldOf(headers, "webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookSignatureError("webhook-timestamp is not a time in seconds");
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_S)
    throw new WebhookSignatureError("its time differs from this clock by more than five minutes; is this clock right?");
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  for (const each of typeof secret === "string" ? [secret] : secret) {
    const key = await keyOf(each);
    for (const signature of signatures.split(" ").flatMap(bytesOf))
      // `verify` compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return { id, sentAtMs: Number(timestamp) * 1000 };
  }
  throw new WebhookSignatureError("none of its signatures matches this secret and body");
}

function fieldOf(headers: WebhookRequest["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string" || value === "") throw new WebhookSignatureError(`the field ${name} is missing`);
  return value;
}

/** Parses `v1,BASE64`. Other versions are ignored. */
function bytesOf(signature: string): Uint8Array<ArrayBuffer>[] {
  const [version, text = ""] = signature.split(",");
  if (version !== "v1") return [];
  try {
    return [Uint8Array.from(atob(text), (character) => character.charCodeAt(0))];
  } catch {
    return [];
  }
}

function keyOf(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const [bytes] = secret.startsWith("whsec_") ? bytesOf(`v1,${secret.slice("whsec_".length)}`) : [];
  if (bytes === undefined || bytes.length === 0)
    throw new WebhookSignatureError("the secret must be whsec_ followed by base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}
