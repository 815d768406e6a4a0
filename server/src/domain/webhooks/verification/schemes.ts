import { decodeBase64 } from "#kernel/decoding.ts";
import type { Scheme, Verification } from "../types.ts";
import { fieldOf, type HookRequest } from "../request.ts";
import { isDigestOf, isOneOf, isSigned } from "./signatures.ts";

export interface VerifyOptions {
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly verification: Verification;
}

/** Returns null when the request is verified, otherwise the reason, without secrets. */
type Verifier = (request: HookRequest, options: VerifyOptions) => string | null;

const TOLERANCE_S = 300;
const SIGNATURES_MAX = 10;
const EMPTY = Buffer.alloc(0);

/** The check of each scheme. Signatures cover the original bytes, not rewritten JSON. */
export const VERIFIERS: Readonly<Record<Exclude<Scheme, "none">, Verifier>> = {
  /**
   * https://github.com/standard-webhooks/standard-webhooks: HMAC-SHA-256 over `id.timestamp.body`; Svix uses other
   * names for the fields.
   */
  standard_webhooks: (request, { secrets, nowMs, verification }) => {
    const prefix = fieldOf(request, "webhook-id") === undefined ? "svix" : "webhook";
    const id = fieldOf(request, `${prefix}-id`);
    const timestamp = fieldOf(request, `${prefix}-timestamp`);
    const signature = fieldOf(request, `${prefix}-signature`);
    if (id === undefined || timestamp === undefined || signature === undefined)
      return "webhook-id, webhook-timestamp or webhook-signature is missing";
    const late = lateness(timestamp, nowMs, verification);
    if (late !== null) return late;
    const keys = secrets.map((secret) => Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
    const given = listed(signature, " ", "v1,").map((text) => bytesOf(text, "base64"));
    return verdict(
      isSigned([`${id}.${timestamp}.`, request.body], { secrets: keys, algorithm: "sha256" }, given),
      given.length,
      "webhook-signature",
    );
  },
  github: (request, { secrets }) => {
    const given = signaturesIn(request, "x-hub-signature-256", { prefix: "sha256=", encoding: "hex" });
    return given === null
      ? missing("X-Hub-Signature-256")
      : verdict(isSigned([request.body], { secrets, algorithm: "sha256" }, given), given.length, "X-Hub-Signature-256");
  },
  gitlab: (request, { secrets }) => {
    const token = fieldOf(request, "x-gitlab-token");
    if (token === undefined) return missing("X-Gitlab-Token");
    return isOneOf(token, secrets) ? null : "X-Gitlab-Token is not the secret";
  },
  /** https://docs.stripe.com/webhooks: `t=…,v1=…` over `t.body`. */
  stripe: (request, { secrets, nowMs, verification }) => {
    const field = fieldOf(request, "stripe-signature");
    if (field === undefined) return missing("Stripe-Signature");
    const [timestamp] = listed(field, ",", "t=");
    if (timestamp === undefined) return "Stripe-Signature has no time";
    const late = lateness(timestamp, nowMs, verification);
    if (late !== null) return late;
    const given = listed(field, ",", "v1=").map((text) => bytesOf(text, "hex"));
    const signed = isSigned([`${timestamp}.`, request.body], { secrets, algorithm: "sha256" }, given);
    return verdict(signed, given.length, "Stripe-Signature");
  },
  /** https://api.slack.com/authentication/verifying-requests-from-slack: HMAC-SHA-256 over `v0:timestamp:body`. */
  slack: (request, { secrets, nowMs, verification }) => {
    const timestamp = fieldOf(request, "x-slack-request-timestamp");
    const given = signaturesIn(request, "x-slack-signature", { prefix: "v0=", encoding: "hex" });
    if (timestamp === undefined || given === null) return missing("X-Slack-Request-Timestamp or X-Slack-Signature");
    const late = lateness(timestamp, nowMs, verification);
    if (late !== null) return late;
    const signed = isSigned([`v0:${timestamp}:`, request.body], { secrets, algorithm: "sha256" }, given);
    return verdict(signed, given.length, "X-Slack-Signature");
  },
  shopify: (request, { secrets }) => {
    const given = signaturesIn(request, "x-shopify-hmac-sha256", { prefix: "", encoding: "base64" });
    return given === null
      ? missing("X-Shopify-Hmac-Sha256")
      : verdict(
          isSigned([request.body], { secrets, algorithm: "sha256" }, given),
          given.length,
          "X-Shopify-Hmac-Sha256",
        );
  },
  /**
   * https://www.twilio.com/docs/usage/webhooks/webhooks-security: the signature covers the address and the parameters
   * of a form, sorted by name. For any other body, the address contains its digest.
   */
  twilio: (request, { secrets }) => {
    const given = signaturesIn(request, "x-twilio-signature", { prefix: "", encoding: "base64" });
    if (given === null) return missing("X-Twilio-Signature");
    const digest = new URLSearchParams(request.query).get("bodySHA256");
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(fieldOf(request, "content-type") ?? "");
    if (digest !== null && !isDigestOf(request.body, digest)) return "bodySHA256 is not the digest of this body";
    if (digest === null && !isForm && request.body.length > 0)
      return "the body is not a form, and the address has no bodySHA256, so the signature does not cover the body";
    const parameters = digest === null && isForm ? formText(request.body) : "";
    const signed = addressesOf(request.url).some((url) =>
      isSigned([url, parameters], { secrets, algorithm: "sha1" }, given),
    );
    return verdict(signed, given.length, "X-Twilio-Signature");
  },
  hmac: (request, { secrets, verification }) => {
    const { header = "", algorithm = "sha256", encoding = "hex", prefix = "" } = verification;
    const given = signaturesIn(request, header, { prefix, encoding });
    return given === null
      ? missing(header)
      : verdict(isSigned([request.body], { secrets, algorithm }, given), given.length, header);
  },
  /** RFC 7617. */
  basic: (request, { secrets }) => {
    const [, pair] = /^Basic +([A-Za-z0-9+/]+=*)$/i.exec(fieldOf(request, "authorization") ?? "") ?? [];
    if (pair === undefined) return "Authorization: Basic is missing";
    return isOneOf(Buffer.from(pair, "base64").toString(), secrets) ? null : "the user name or password is wrong";
  },
  header: (request, { secrets, verification }) => {
    const { header = "", prefix = "" } = verification;
    const value = fieldOf(request, header);
    if (value?.startsWith(prefix) !== true) return missing(header);
    return isOneOf(value.slice(prefix.length), secrets) ? null : `${header} does not contain the key`;
  },
};

function signaturesIn(
  request: HookRequest,
  name: string,
  { prefix, encoding }: { prefix: string; encoding: "hex" | "base64" },
): Buffer[] | null {
  const field = fieldOf(request, name);
  if (field === undefined) return null;
  return field.startsWith(prefix) ? [bytesOf(field.slice(prefix.length), encoding)] : [];
}

/** Decodes a signature. Text with invalid characters gives no bytes, which never match a signature. */
function bytesOf(text: string, encoding: "hex" | "base64"): Buffer {
  if (encoding === "base64") return decodeBase64(text) ?? EMPTY;
  return /^(?:[0-9A-Fa-f]{2})*$/.test(text) ? Buffer.from(text, "hex") : EMPTY;
}

/**
 * Returns names and values, sorted by name, without separators. A repeated name has each distinct value once, in order.
 */
function formText(body: Buffer): string {
  const parameters = new URLSearchParams(body.toString());
  const names = [...new Set(parameters.keys())].toSorted(byCode);
  return names
    .flatMap((name) => [...new Set(parameters.getAll(name))].toSorted(byCode).map((value) => name + value))
    .join("");
}

const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the address with its port and without. Senders sign one or the other. */
function addressesOf(url: string): string[] {
  const [, scheme = "", host = "", port, rest = ""] = /^(https?):\/\/([^/:]+|\[[^\]]*\])(:\d+)?(.*)$/s.exec(url) ?? [];
  const usual = scheme === "https" ? ":443" : ":80";
  return port === undefined ? [url, `${scheme}://${host}${usual}${rest}`] : [url, `${scheme}://${host}${rest}`];
}

/** Returns the values after `mark` in the parts of a list. */
function listed(field: string, separator: string, mark: string): string[] {
  const parts = field.split(separator).map((part) => part.trim());
  const marked = parts.filter((part) => part.startsWith(mark)).map((part) => part.slice(mark.length));
  return marked.slice(0, SIGNATURES_MAX);
}

/** Returns null when the signed time is close to now, otherwise the reason. So an old request can't be replayed. */
function lateness(timestamp: string, nowMs: number, { tolerance_s = TOLERANCE_S }: Verification): string | null {
  if (!/^\d{1,12}$/.test(timestamp)) return "the signed time is not a number of seconds";
  const offS = Math.round(nowMs / 1000) - Number(timestamp);
  if (Math.abs(offS) <= tolerance_s) return null;
  return `the signed time is ${Math.abs(offS)} s ${offS > 0 ? "ago" : "ahead"}; ${tolerance_s} s are allowed`;
}

function missing(name: string): string {
  return `${name} is missing`;
}

function verdict(signed: boolean, given: number, name: string): string | null {
  if (signed) return null;
  return given === 0 ? `${name} is not in the form of this scheme` : `${name} is not the signature of this body`;
}
