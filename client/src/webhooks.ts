/** A request is not from who has the secret, or not from now. */
export class WebhookSignatureError extends Error {
  constructor(reason: string) {
    super(`cannot verify the webhook: ${reason}`);
    this.name = "WebhookSignatureError";
  }
}

export interface WebhookRequest {
  /** `whsec_…`; during a rotation the old one, too. */
  readonly secret: string | readonly string[];
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Exactly as it came: a body that was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** The present time: `Date.now()`. */
  readonly nowMs: number;
}

export interface VerifiedWebhook {
  /** The same for every attempt: drop a message whose id is known. */
  readonly id: string;
  /** Time of this attempt, in milliseconds since the epoch. */
  readonly sentAtMs: number;
}

/** An older or later request is refused, so that nobody can send it again. */
const TOLERANCE_S = 5 * 60;

/**
 * Verifies a message of an alert, of a bucket, or an event that was forwarded, as Standard Webhooks describes it.
 * @throws WebhookSignatureError
 */
export async function verifyWebhook({ secret, headers, body, nowMs }: WebhookRequest): Promise<VerifiedWebhook> {
  const id = fieldOf(headers, "webhook-id");
  const timestamp = fieldOf(headers, "webhook-timestamp");
  const signatures = fieldOf(headers, "webhook-signature");
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookSignatureError("webhook-timestamp is no time in seconds");
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_S)
    throw new WebhookSignatureError("it was sent more than five minutes from now; is this clock right?");
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(head.length + content.length);
  signed.set(head);
  signed.set(content, head.length);
  for (const each of typeof secret === "string" ? [secret] : secret) {
    const key = await keyOf(each);
    for (const signature of signatures.split(" ").flatMap(bytesOf))
      // Compares in a time that does not depend on where they differ.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return { id, sentAtMs: Number(timestamp) * 1000 };
  }
  throw new WebhookSignatureError("no signature is by this secret over this body");
}

function fieldOf(headers: WebhookRequest["headers"], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string" || value === "") throw new WebhookSignatureError(`the field ${name} is missing`);
  return value;
}

/** `v1,BASE64`; other versions are passed over. */
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
    throw new WebhookSignatureError("the secret must be whsec_ and base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}
