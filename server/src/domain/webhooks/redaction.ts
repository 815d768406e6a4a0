import type { Lookups } from "#domain/identity/index.ts";
import { placesOf, senderOf } from "./senders/index.ts";
import type { Verification } from "./types.ts";
import type { Check, Place } from "./verification/index.ts";

/**
 * Decides which parts of a sender's fields and parameters are stored. Known harmless or necessary names are kept. Any
 * other value that looks like a secret, by its name or its form, is replaced by a hash, because readers of events must
 * not be able to act as their sender.
 */

/** Header fields of HTTP and its proxies, of tracing, and of senders that name, describe and sign events. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(
  [
    "accept accept-charset accept-encoding accept-language accept-ranges age allow cache-control connection content-digest content-disposition",
    "content-encoding content-language content-length content-location content-md5 content-range content-type date dnt etag expect expires host",
    "idempotency-key if-match if-modified-since if-none-match if-unmodified-since keep-alive last-modified max-forwards mime-version origin pragma",
    "priority range repr-digest retry-after server signature signature-input digest te trailer transfer-encoding upgrade user-agent vary via want-digest warning",
    "forwarded x-forwarded-for x-forwarded-host x-forwarded-port x-forwarded-proto x-forwarded-server x-real-ip cf-connecting-ip cf-ipcountry cf-ray cf-visitor",
    "baggage traceparent tracestate b3 x-b3-flags x-b3-parentspanid x-b3-sampled x-b3-spanid x-b3-traceid uber-trace-id x-amzn-trace-id x-cloud-trace-context",
    "x-datadog-parent-id x-datadog-sampling-priority x-datadog-trace-id x-correlation-id x-request-id x-request-start request-id",
    "webhook-id webhook-timestamp webhook-signature svix-id svix-timestamp svix-signature stripe-signature x-slack-request-timestamp x-slack-signature",
    "x-slack-retry-num x-slack-retry-reason x-hub-signature x-hub-signature-256 x-request-uuid x-event-key x-event-time x-attempt-number x-hook-uuid",
    "x-gitlab-event x-gitlab-event-uuid x-gitlab-instance x-gitlab-webhook-uuid x-twilio-signature i-twilio-idempotency-token x-shopify-hmac-sha256",
    "x-amz-sns-message-id x-amz-sns-message-type x-amz-sns-subscription-arn x-amz-sns-topic-arn x-goog-channel-id x-goog-message-number x-goog-resource-state",
    "x-goog-channel-expiration paypal-auth-algo paypal-auth-version paypal-cert-url paypal-transmission-id paypal-transmission-sig paypal-transmission-time",
    "x-contentful-signed-headers x-zm-signature x-zm-request-timestamp webhook-request-origin webhook-request-rate ce-id ce-source ce-specversion ce-subject ce-time ce-type",
    "ce-dataschema ce-datacontenttype",
  ].flatMap((line) => line.split(" ")),
);

/** Query parameters that are needed to understand an event. */
const KNOWN_PARAMETERS: ReadonlySet<string> = new Set(["bodysha256", "source", "type", "event", "id", "version"]);

/** Words in the names of secrets. */
const SECRET_NAME =
  /token|secret|passw|pwd|passphrase|credential|cookie|session|jwt|bearer|auth|api-?_?key|access-?_?key|private|(?:^|[-_.])(?:key|pass|pin|otp)(?:$|[-_.])/;
/**
 * A signature or digest is valid only for this request, and is needed to verify it again. In an address it may be valid
 * for other requests too.
 */
const SIGNATURE_NAME = /(?:^|[-_.])(?:signature|sig|hmac|digest|sha1|sha256|sha512)(?:$|[-_.\d])/;
/** Names of values that are public. */
const PLAIN_NAME =
  /(?:^|[-_.])(?:id|ids|uuid|guid|event|events|topic|type|time|timestamp|date|version|delivery|attempt|attempts|count|number|region|domain|name|source|status|reason)$/;

/** Secrets with a recognizable form: of common services, JWT, private keys, and our own. */
const SECRET_FORM = [
  /\beyJ[\w-]{8,}\.[\w-]{8,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|[srp]k_(?:live|test)_|whsec_|shp(?:at|ss|ca|pa)_|hv[sb]\.|npm_|pypi-|dop_v1_|SG\.|AKIA|ASIA|AIza|ya29\.|sk-)[\w.-]{10,}/,
  /\bmr(?:cs|st|iv|pat|wh|pt)_[0-9A-Za-z_-]{16,}/,
  /^(?:bearer|basic|digest|negotiate|token) +\S/i,
];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface RedactionOptions {
  readonly envelope: Pick<Lookups, "lookupHash">;
  readonly webhookId: string;
  /** The fields that hold the sender's key, in lower case. */
  readonly secretFields: ReadonlySet<string>;
  /** The fields of the sender's recipe, in lower case: the signature, the time, the name and the type. They are kept. */
  readonly plainFields: ReadonlySet<string>;
}

/** Returns the fields that hold the secret of a webhook's scheme, and those that its scheme reads. */
export function fieldsOf(verification: Verification): Pick<RedactionOptions, "secretFields" | "plainFields"> {
  const { scheme, header = "" } = verification;
  const sender = senderOf(scheme);
  const secret = scheme === "header" ? [header] : (sender?.verify ?? []).flatMap(secretFieldsOf);
  const plain = scheme === "hmac" ? [header] : (sender?.verify ?? []).flatMap(plainFieldsOf);
  const named = [...(sender?.id.flat() ?? []), ...(sender?.type ?? [])].flatMap(fieldAt);
  const lower = (names: readonly string[]): Set<string> => new Set(names.map((name) => name.toLowerCase()));
  return { secretFields: lower(secret), plainFields: lower([...plain, ...named]) };
}

function secretFieldsOf(check: Check): string[] {
  return check.kind === "equal" ? check.places.flatMap(fieldAt) : [];
}

function plainFieldsOf(check: Check): string[] {
  return check.kind === "equal" ? [] : placesOf(check).flatMap(fieldAt);
}

function fieldAt(place: Place): string[] {
  return place.in === "header" ? [place.name] : [];
}

/** Returns the fields as JSON of [name, value]. */
export function keptHeaders(rawHeaders: readonly string[], options: RedactionOptions): string {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name, value] = [rawHeaders[i] as string, rawHeaders[i + 1] as string];
    pairs.push([name, isSecretField(name.toLowerCase(), value, options) ? hashed(value, options) : value]);
  }
  return JSON.stringify(pairs);
}

/** Redacts a query without its question mark. Other values stay unchanged. */
export function keptQuery(query: string, options: RedactionOptions): string {
  if (query === "") return query;
  const parts = query.split("&").map((part) => {
    const mark = part.indexOf("=");
    const [name, value] =
      mark === -1 ? ["", decoded(part)] : [decoded(part.slice(0, mark)), decoded(part.slice(mark + 1))];
    if (!isSecretParameter(name.toLowerCase(), value)) return part;
    return mark === -1 ? hashed(value, options) : `${part.slice(0, mark)}=${hashed(value, options)}`;
  });
  return parts.join("&");
}

/**
 * The hash is keyed, so that nobody can find the value by trying. It is the same for all events of a webhook, so that
 * two values can be compared.
 */
function hashed(value: string, { envelope, webhookId }: RedactionOptions): string {
  const { hash } = envelope.lookupHash("webhook-field", JSON.stringify([webhookId, value]));
  return `redacted:${hash.toString("hex").slice(0, 16)}`;
}

function isSecretField(name: string, value: string, { secretFields, plainFields }: RedactionOptions): boolean {
  if (value === "") return false;
  if (secretFields.has(name) || SECRET_FORM.some((form) => form.test(value))) return true;
  if (KNOWN_FIELDS.has(name) || plainFields.has(name)) return false;
  if (SECRET_NAME.test(name)) return true;
  return !SIGNATURE_NAME.test(name) && !PLAIN_NAME.test(name) && hasSecretForm(value);
}

function isSecretParameter(name: string, value: string): boolean {
  if (value === "") return false;
  if (SECRET_FORM.some((form) => form.test(value))) return true;
  if (KNOWN_PARAMETERS.has(name)) return false;
  if (SECRET_NAME.test(name) || SIGNATURE_NAME.test(name) || name === "code") return true;
  return !PLAIN_NAME.test(name) && hasSecretForm(value);
}

/** Whether a word of the value is as long and as random as a key. */
function hasSecretForm(value: string): boolean {
  return (value.match(/[\w+=~-]{20,}/g) ?? []).some(
    (word) => !UUID.test(word) && /\d/.test(word) && /[a-z]/i.test(word) && entropyOf(word) >= entropyMin(word),
  );
}

/** Lower-case names that contain dates look random too, so they need a higher bound. */
function entropyMin(word: string): number {
  if (/^[0-9a-f]+$/i.test(word)) return 3;
  return /[a-z]/.test(word) && /[A-Z]/.test(word) ? 3.5 : 4;
}

/** Returns the Shannon entropy in bits for each character. */
function entropyOf(word: string): number {
  const counts = new Map<string, number>();
  for (const char of word) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length);
  return bits;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
