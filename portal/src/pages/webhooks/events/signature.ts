import { WEBHOOK_SENDERS, type WebhookSender } from "@mooring/contract";
import type { Verification } from "../setup/presets.ts";
import { base64Bytes } from "./hex.ts";

type Fields = readonly (readonly string[])[];

export interface Step {
  readonly title: string;
  readonly detail: string;
  /** The value in the request, unchanged. */
  readonly value?: string | undefined;
  readonly isMissing?: boolean;
}

/** The signed text and the signature of a request. */
interface Signed {
  readonly signatureField: string;
  /** The part of the signed text before the body. */
  readonly head: string | null;
  readonly headForm: string;
  readonly signatures: readonly string[];
  readonly encoding: "hex" | "base64";
  readonly algorithm: "sha1" | "sha256" | "sha512";
  readonly timeS: number | null;
}

function field(headers: Fields, name: string): string | undefined {
  return headers.find(([each = ""]) => each.toLowerCase() === name.toLowerCase())?.[1];
}

const listed = (text: string, separator: string, mark: string): string[] =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part.startsWith(mark))
    .map((part) => part.slice(mark.length));

function simple(
  headers: Fields,
  name: string,
  rest: { prefix: string } & Pick<Signed, "encoding" | "algorithm">,
): Signed {
  const value = field(headers, name);
  const { prefix, encoding, algorithm } = rest;
  const signatures = value?.startsWith(prefix) === true ? [value.slice(prefix.length)] : [];
  return { signatureField: name, head: "", headForm: "", signatures, encoding, algorithm, timeS: null };
}

function timed(
  parts: { name: string; time: string | undefined; head: string; form: string },
  rest: Pick<Signed, "signatures" | "encoding">,
): Signed {
  const { name, time, head, form } = parts;
  const isMissing = time === undefined;
  return {
    signatureField: name,
    head: isMissing ? null : head,
    headForm: form,
    algorithm: "sha256",
    timeS: isMissing ? null : Number(time),
    ...rest,
  };
}

/** Schemes with a signature that this page can compute. */
const EXPLAINED = ["standard_webhooks", "github", "stripe", "slack", "shopify", "hmac"] as const;

export function isExplained(scheme: string): scheme is (typeof EXPLAINED)[number] {
  return EXPLAINED.some((each) => each === scheme);
}

/**
 * Reads the signature, the signed text and the algorithm from the header fields; null for schemes that send the secret
 * itself.
 */
function signedBy(
  { scheme, header = "", algorithm = "sha256", encoding = "hex", prefix = "" }: Verification,
  headers: Fields,
): Signed | null {
  if (!isExplained(scheme)) return null;
  switch (scheme) {
    case "github":
      return simple(headers, "X-Hub-Signature-256", { prefix: "sha256=", encoding: "hex", algorithm: "sha256" });
    case "shopify":
      return simple(headers, "X-Shopify-Hmac-Sha256", { prefix: "", encoding: "base64", algorithm: "sha256" });
    case "hmac":
      return simple(headers, header, { prefix, encoding, algorithm });
    case "stripe": {
      const value = field(headers, "Stripe-Signature") ?? "";
      const [time] = listed(value, ",", "t=");
      const parts = { name: "Stripe-Signature", time, head: `${time ?? ""}.`, form: "time.body" };
      return timed(parts, { signatures: listed(value, ",", "v1="), encoding: "hex" });
    }
    case "slack": {
      const time = field(headers, "X-Slack-Request-Timestamp");
      const parts = { name: "X-Slack-Signature", time, head: `v0:${time ?? ""}:`, form: "v0:time:body" };
      return timed(parts, { signatures: listed(field(headers, parts.name) ?? "", "\n", "v0="), encoding: "hex" });
    }
    case "standard_webhooks": {
      const family = field(headers, "webhook-id") === undefined ? "svix" : "webhook";
      const id = field(headers, `${family}-id`) ?? "";
      const time = field(headers, `${family}-timestamp`);
      const parts = { name: `${family}-signature`, time, head: `${id}.${time ?? ""}.`, form: "id.time.body" };
      return timed(parts, { signatures: listed(field(headers, parts.name) ?? "", " ", "v1,"), encoding: "base64" });
    }
  }
}

const SENT: Readonly<Record<string, string>> = { gitlab: "X-Gitlab-Token", basic: "Authorization" };

/** Returns the steps of the verification, with the values from the request. */
export function explain(verification: Verification, headers: Fields, receivedAt: string): readonly Step[] {
  const { scheme } = verification;
  if (scheme === "none")
    return [
      {
        title: "Nothing is checked",
        detail: "Everybody who knows the address can send. Set a verification scheme in the settings.",
      },
    ];
  if (scheme === "twilio") return twilioSteps(headers);
  const signed = signedBy(verification, headers);
  if (signed === null && Object.hasOwn(WEBHOOK_SENDERS, scheme) && !Object.hasOwn(SENT, scheme))
    return [
      {
        title: `Check the request as ${WEBHOOK_SENDERS[scheme as WebhookSender].title} describes`,
        detail: "The reference of the senders of webhooks has the recipe, and its source.",
      },
    ];
  if (signed === null) {
    const name = SENT[scheme] ?? verification.header ?? "the header field";
    const sent = field(headers, name);
    return [
      {
        title: `Read the secret from ${name}`,
        detail:
          "The sender sends the secret itself. The server compared it and did not store it: the event has “redacted” and a hash.",
        value: sent,
        isMissing: sent === undefined,
      },
      { title: "Compare it with the stored secret", detail: "In constant time." },
    ];
  }
  return signedSteps(verification, signed, receivedAt);
}

function twilioSteps(headers: Fields): readonly Step[] {
  const value = field(headers, "X-Twilio-Signature");
  return [
    {
      title: "Read the signature from X-Twilio-Signature",
      detail: "In base64.",
      value,
      isMissing: value === undefined,
    },
    {
      title: "Compute HMAC-SHA-1 of the webhook's address, with its query",
      detail: "For a form, append its parameters, sorted by name. For other bodies, the address contains bodySHA256.",
    },
    { title: "Compare the two", detail: "In constant time." },
  ];
}

function signedSteps(verification: Verification, signed: Signed, receivedAt: string): readonly Step[] {
  const isTimed = signed.headForm !== "";
  const content = isTimed ? signed.headForm : "body";
  const steps: (Step | false)[] = [
    {
      title: `Read the signature from ${signed.signatureField}`,
      detail: `In ${signed.encoding}${signed.signatures.length > 1 ? "; one of these must match" : ""}.`,
      value: signed.signatures.length === 0 ? undefined : signed.signatures.join("\n"),
      isMissing: signed.signatures.length === 0,
    },
    isTimed && timeStep(signed, verification, receivedAt),
    {
      title: "Build the signed content",
      detail: `${content}: use the original bytes of the body, never re-encoded JSON.`,
      value: signed.head === null || signed.head === "" ? undefined : `${signed.head}<body>`,
    },
    {
      title: `Compute HMAC-${signed.algorithm.toUpperCase().replace("SHA", "SHA-")} with the secret`,
      detail:
        verification.scheme === "standard_webhooks"
          ? "The key is the part after whsec_, decoded from base64."
          : "The key is the secret as text.",
    },
    { title: "Compare", detail: "If they are equal, the sender knows the secret, and nobody changed the body." },
  ];
  return steps.filter((step) => step !== false);
}

function timeStep({ timeS }: Signed, { tolerance_s: tolerance = 300 }: Verification, receivedAt: string): Step {
  if (timeS === null || Number.isNaN(timeS))
    return { title: "Read the signed time", detail: "There is none.", isMissing: true };
  const offS = Math.round(Date.parse(receivedAt) / 1000 - timeS);
  const off = `${Math.abs(offS)} s ${offS < 0 ? "after" : "before"} its arrival`;
  return {
    title: "Check the signed time",
    detail: `${off}; ${tolerance} s are allowed. This refuses replays of old requests.`,
    value: `${timeS} = ${new Date(timeS * 1000).toISOString()}`,
    isMissing: Math.abs(offS) > tolerance,
  };
}

export type Outcome = "fits" | "differs" | "unsigned" | "unknown";

/**
 * Computes the signature with a secret, and compares it with the request's. `unknown`: the scheme has no signature, or
 * the secret has the wrong form.
 */
export async function checkSignature(
  verification: Verification,
  { headers, body }: { readonly headers: Fields; readonly body: Uint8Array },
  secret: string,
): Promise<Outcome> {
  const signed = signedBy(verification, headers);
  if (signed === null) return "unknown";
  if (signed.head === null || signed.signatures.length === 0) return "unsigned";
  const encoder = new TextEncoder();
  const key =
    verification.scheme === "standard_webhooks" ? base64Bytes(secret.replace(/^whsec_/, "")) : encoder.encode(secret);
  if (key === null || key.length === 0) return "unknown";
  const hash = `SHA-${signed.algorithm.slice(3)}`;
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"]);
  const head = encoder.encode(signed.head);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  const expected = new Uint8Array(await crypto.subtle.sign("HMAC", imported, content));
  const text = signed.encoding === "hex" ? hexOf(expected) : btoa(String.fromCharCode(...expected));
  const same = (given: string): boolean => (signed.encoding === "hex" ? given.toLowerCase() : given) === text;
  return signed.signatures.some(same) ? "fits" : "differs";
}

function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
