import { WEBHOOK_SENDERS, type WebhookSender } from "../../contract/src/index.ts";
import { SENDERS, type Sender } from "../../server/src/domain/webhooks/index.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/reference/webhook-senders.md: the table of senders, for people who set up a webhook. */
export const webhookSendersPage: Generated = {
  path: "docs/reference/webhook-senders.md",
  render: () => renderSenders(Object.keys(SENDERS) as WebhookSender[]),
};

const INTRODUCTION = `# Senders of webhooks

**Needs** the server that \`npm start\` runs, and the shell of [the first five minutes](../../README.md#five-minutes).

The server knows how these senders sign, name and describe their events. Create a webhook with the sender as its \`scheme\`, and with the sender's secret:

\`\`\`sh
printf 'pdl_ntfset_the_secret_of_the_destination' | npx mooring webhooks create --name payments --project web --verify paddle --secret-file -
\`\`\`

\`\`\`output
id                hook_…
url               http…/hooks/mrwh_…
\`\`\`

\`mooring webhooks senders\` prints the same list. In the portal, choose the sender when you create a webhook. [Incoming webhooks](webhooks.md) has the
schemes for other senders: \`hmac\`, \`header\` and \`basic\`.

- **Secret**: the text to set as the webhook's secret. Some are not secret: a public key, a topic or an account. During a rotation, both secrets are valid.
- **Verified by**: the signature or key that is checked. *Not verified* means that the sender proves nothing: only the address is secret, and its events are stored as not verified.
- **Time**: the largest difference between the signed time and now. \`tolerance_s\` changes it. Without a time, an old request can be sent again, and is then recognized by its identifier.
- **Repetitions** are recognized by these values (\`deduplication\`: \`auto\`). Header fields are in capitals, members of the body begin with a slash.
- **Tested**: *SDK* means that the library of the sender signs or verifies requests in a test of this project (\`npm run full -- --group webhook-senders\`). The
  others are tested with signatures that the test computes from the sender's documentation.

A test request that a sender makes before its first event is answered automatically, and creates no event. SendGrid, HubSpot, Event Grid and Auth0 send lists. Each element becomes an event.

The signed address is the configured public URL of webhooks with the path and query of the request, never the \`Host\` field. So senders that sign the address must use that URL.

PayPal, SNS, Google and Microsoft Entra publish their keys. The server reads them only from fixed hosts of the sender, waits at most two seconds, and keeps them for a day. For one organization it reads at most 20 in a minute. If they
can't be read, the request gets 503, so that the sender sends it again, and nothing is stored.

This page is generated from \`server/src/domain/webhooks/senders/\` and \`contract/src/webhooks/senders/\` by \`npm run generate\`.

| sender | \`scheme\` | secret | verified by | time | repetitions | handshake | tested | source |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
`;

const KINDS: Readonly<Record<Sender["verify"][number]["kind"], string>> = {
  hmac: "HMAC",
  ed25519: "Ed25519",
  ecdsa: "ECDSA P-256",
  equal: "the secret itself",
  basic: "Basic",
  twilio: "HMAC-SHA-1 of the address and the form",
  adyen: "HMAC-SHA-256 of eight values of each item; the others are not signed",
  contentful: "HMAC-SHA-256 of method, path, fields and body",
  paypal: "RSA-SHA-256 of a checksum (CRC-32) of the body, with a fetched certificate",
  sns: "RSA of the message without its attributes, with a fetched certificate",
  netlify: "JWT HS256 with the digest",
  google: "JWT RS256 of Google",
  entra: "JWT RS256 of Microsoft Entra",
};

const HANDSHAKES: Readonly<Record<NonNullable<Sender["handshakes"]>[number], string>> = {
  slack: "`url_verification`",
  meta: "`hub.challenge`, with `verify_token`",
  microsoft_graph: "`validationToken`",
  cloudevents: "OPTIONS",
  head: "HEAD",
  zoom: "`endpoint.url_validation`",
  okta: "GET",
  event_grid: "`validationCode`",
  dropbox: "GET `challenge`",
  discord: "PING",
  sns: "subscription is confirmed",
  form_ping: "ping",
};

export function renderSenders(names: readonly WebhookSender[]): string {
  const byTitle = (one: WebhookSender, other: WebhookSender): number =>
    WEBHOOK_SENDERS[one].title.localeCompare(WEBHOOK_SENDERS[other].title, "en");
  const rows = names.toSorted(byTitle).map((name) => `| ${rowOf(name).join(" | ")} |\n`);
  return INTRODUCTION + rows.join("");
}

function rowOf(name: WebhookSender): string[] {
  const sender = SENDERS[name];
  const { title, secret, where } = WEBHOOK_SENDERS[name];
  return [
    title,
    `\`${name}\``,
    secret === null ? where : `${secret}. ${where}`,
    sender.verify.length === 0 ? "*not verified*" : unique(sender.verify.map(checkText)).join(", or "),
    timeOf(sender),
    sender.id.map((places) => places.map(placeText).join(" + ")).join(", or ") || "–",
    (sender.handshakes ?? []).map((each) => HANDSHAKES[each]).join(", ") || "–",
    sender.sdk === undefined ? "by its documentation" : `SDK: \`${sender.sdk}\``,
    `[page](${sender.source})`,
  ];
}

function checkText(check: Sender["verify"][number]): string {
  if (check.kind === "hmac")
    return `HMAC-${check.algorithm.replace("sha", "SHA-")} in ${placeText(check.signature.field)}${limitOf(check.parts)}`;
  if (check.kind === "ed25519" || check.kind === "ecdsa")
    return `${KINDS[check.kind]} in ${placeText(check.signature.field)}`;
  if (check.kind === "equal") return `${KINDS.equal} in ${unique(check.places.map(placeText)).join(" or ")}`;
  return KINDS[check.kind];
}

/** Says that a signature does not cover the body. Then only the address and the signature together are a secret. */
function limitOf(parts: readonly unknown[]): string {
  const coversBody = parts.some((part) => typeof part === "object" && JSON.stringify(part) === '{"part":"body"}');
  return coversBody ? "" : ", which does not cover the body";
}

function timeOf({ verify }: Sender): string {
  const times = verify.map((check) => ("time" in check ? check.time : undefined)).filter((time) => time !== undefined);
  const [first] = times;
  if (first !== undefined) return first.toleranceS === null ? "if set" : `${first.toleranceS} s`;
  return verify.some(({ kind }) => kind === "contentful") ? "30 s" : "–";
}

function placeText(place: Sender["id"][number][number]): string {
  switch (place.in) {
    case "header":
      return `\`${place.name}\``;
    case "query":
      return `the parameter \`${place.name}\``;
    case "json":
      return `\`${place.pointer}\``;
    case "entry":
      return `\`${place.mark}\``;
    case "digest":
      return "the digest of the body";
  }
}

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
