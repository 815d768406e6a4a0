import { shellWord } from "../../../kit/shell.ts";
import { isRedacted } from "../redacted.ts";
import type { Verification } from "./presets.ts";

const BODY = '{"type": "order.paid", "order": {"id": 17}}';

/** Schemes whose requests a command of openssl and curl can sign. */
const SIGNABLE = [
  "none",
  "gitlab",
  "basic",
  "header",
  "github",
  "stripe",
  "slack",
  "shopify",
  "twilio",
  "hmac",
  "standard_webhooks",
] as const;
type Signable = Omit<Verification, "scheme"> & { readonly scheme: (typeof SIGNABLE)[number] };

/** Whether there is a command that sends a request of this scheme. */
export function canSign(verification: Verification): verification is Signable {
  return SIGNABLE.some((scheme) => scheme === verification.scheme);
}

/** Returns a command that sends a first event. If the scheme has a signature, the command signs with openssl. */
export function testCommand(url: string, verification: Signable, secret = "the secret"): string {
  const lines = signingLines(verification, `SECRET=${shellWord(secret)}`, url);
  const headers = signedHeaders(verification);
  const send = [
    "curl -sS --fail-with-body",
    verification.scheme === "twilio" ? '"$URL"' : shellWord(url),
    "-H 'Content-Type: application/json'",
    ...headers,
  ];
  if (lines.length === 0) return `${send.join(" ")} -d ${shellWord(BODY)}`;
  return [...lines, `${send.join(" ")} --data-binary "$BODY"`].join("\n");
}

function signingLines(
  { scheme, algorithm = "sha256", encoding = "hex" }: Signable,
  secret: string,
  url: string,
): readonly string[] {
  const body = `BODY=${shellWord(BODY)}`;
  const hex = (content: string): string =>
    `SIGNATURE=$(printf '%s' "${content}" | openssl dgst -${algorithm} -hmac "$SECRET" | sed 's/^.* //')`;
  const base64 = (content: string): string =>
    `SIGNATURE=$(printf '%s' "${content}" | openssl dgst -${algorithm} -hmac "$SECRET" -binary | openssl base64 -A)`;
  switch (scheme) {
    case "none":
      return [];
    case "gitlab":
    case "basic":
    case "header":
      return [secret, body];
    case "github":
      return [secret, body, hex("$BODY")];
    case "stripe":
      return [secret, body, "TIME=$(date +%s)", hex("$TIME.$BODY")];
    case "slack":
      return [secret, body, "TIME=$(date +%s)", hex("v0:$TIME:$BODY")];
    case "shopify":
      return [secret, body, base64("$BODY")];
    case "twilio":
      return [
        secret,
        body,
        `URL=${shellWord(`${url}?bodySHA256=`)}$(printf '%s' "$BODY" | openssl dgst -sha256 | sed 's/^.* //')`,
        `SIGNATURE=$(printf '%s' "$URL" | openssl dgst -sha1 -hmac "$SECRET" -binary | openssl base64 -A)`,
      ];
    case "hmac":
      return [secret, body, encoding === "hex" ? hex("$BODY") : base64("$BODY")];
    case "standard_webhooks":
      return [
        secret,
        body,
        "TIME=$(date +%s); ID=msg_$TIME",
        `KEY=$(printf '%s' "\${SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')`,
        `SIGNATURE=$(printf '%s' "$ID.$TIME.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)`,
      ];
  }
}

function signedHeaders({ scheme, header = "X-Signature", prefix = "" }: Signable): readonly string[] {
  const field = (name: string, value: string): string => `-H "${name}: ${value}"`;
  switch (scheme) {
    case "none":
      return [];
    case "gitlab":
      return [field("X-Gitlab-Token", "$SECRET")];
    case "basic":
      return ['-u "$SECRET"'];
    case "header":
      return [field(header, `${prefix}$SECRET`)];
    case "github":
      return [field("X-GitHub-Event", "ping"), field("X-Hub-Signature-256", "sha256=$SIGNATURE")];
    case "stripe":
      return [field("Stripe-Signature", "t=$TIME,v1=$SIGNATURE")];
    case "slack":
      return [field("X-Slack-Request-Timestamp", "$TIME"), field("X-Slack-Signature", "v0=$SIGNATURE")];
    case "shopify":
      return [field("X-Shopify-Hmac-Sha256", "$SIGNATURE")];
    case "twilio":
      return [field("X-Twilio-Signature", "$SIGNATURE")];
    case "hmac":
      return [field(header, `${prefix}$SIGNATURE`)];
    case "standard_webhooks":
      return [
        field("webhook-id", "$ID"),
        field("webhook-timestamp", "$TIME"),
        field("webhook-signature", "v1,$SIGNATURE"),
      ];
  }
}

interface SentRequest {
  readonly method: string;
  readonly query: string;
  readonly headers: readonly (readonly string[])[];
  /** Null: the body is not text, and is in a file. */
  readonly body: string | null;
}

/** Header fields that curl sets itself, or that would be wrong on another connection. */
const LEFT_OUT = new Set([
  "host",
  "content-length",
  "connection",
  "accept-encoding",
  "transfer-encoding",
  "user-agent",
]);
const PROXIES = /^(x-forwarded-|x-real-ip$|forwarded$|via$|cf-)/;

/** Returns the same request as a curl command. It omits redacted fields, and has a placeholder for the address. */
export function requestCommand(url: string, request: SentRequest): string {
  const target = request.query === "" ? url : `${url}?${request.query}`;
  const method = request.method === "POST" ? "" : ` -X ${shellWord(request.method)}`;
  const kept = request.headers.filter(([name = "", value]) => {
    const lower = name.toLowerCase();
    return !isRedacted(value) && !LEFT_OUT.has(lower) && !PROXIES.test(lower);
  });
  const headers = kept.map(([name = "", value = ""]) => `-H ${shellWord(`${name}: ${value}`)}`);
  const body = request.body === null ? "--data-binary @body.bin" : `--data-binary ${shellWord(request.body)}`;
  return [`curl -sS --fail-with-body${method} ${shellWord(target)}`, ...headers, body].join(" \\\n  ");
}
