import { WEBHOOK_SENDERS, type BodyOf, type WEBHOOK_ROUTES, type WebhookSender } from "@mooring/contract";

type NewWebhook = BodyOf<typeof WEBHOOK_ROUTES.createWebhook>;
export type Verification = NonNullable<NewWebhook["verification"]>;
export type Scheme = Verification["scheme"];
export type Handshake = NonNullable<NewWebhook["handshakes"]>[number];
export type Deduplication = NonNullable<NewWebhook["deduplication"]>;

export interface Preset {
  readonly id: string;
  readonly title: string;
  readonly verification: Verification;
  readonly handshakes: readonly Handshake[];
  /** Where the secret comes from; null: there is none. */
  readonly secret: string | null;
  /** Whether the server creates a secret if the field is empty. */
  readonly makesSecret?: boolean;
  /** The steps at the sender, with the address and the secret. */
  readonly steps: readonly string[];
}

const THEIRS = "the same as at the sender";

/** Senders and schemes whose steps we know in detail. */
const DETAILED: readonly Preset[] = [
  {
    id: "github",
    title: "GitHub",
    verification: { scheme: "github" },
    handshakes: [],
    secret: "a long random text; enter the same in the field Secret at GitHub",
    steps: [
      "In the repository or organization, open Settings, Webhooks, Add webhook.",
      "Payload URL: the address above. Content type: application/json. Secret: the secret that you entered here.",
      "Choose the events and add the webhook. GitHub sends a ping at once, which appears here.",
    ],
  },
  {
    id: "stripe",
    title: "Stripe",
    verification: { scheme: "stripe" },
    handshakes: [],
    secret: "whsec_…, which Stripe shows as the endpoint's signing secret",
    steps: [
      "In the Stripe dashboard, open Developers, Webhooks, Add endpoint.",
      "Endpoint URL: the address above. Choose the events and add the endpoint.",
      "Reveal the signing secret there. If it differs from the secret here, set it under Settings of this webhook.",
    ],
  },
  {
    id: "slack",
    title: "Slack",
    verification: { scheme: "slack" },
    handshakes: ["slack"],
    secret: "the app's signing secret: Basic Information, App Credentials",
    steps: [
      "At api.slack.com/apps, open the app and then Event Subscriptions, and switch on Enable Events.",
      "Request URL: the address above. Slack sends a challenge to it and shows Verified.",
      "Subscribe to events and save.",
    ],
  },
  {
    id: "standard_webhooks",
    title: "Standard Webhooks",
    verification: { scheme: "standard_webhooks" },
    handshakes: [],
    secret: "whsec_…, if the sender created one; otherwise this server creates one",
    makesSecret: true,
    steps: [
      "At the sender (Svix, Resend, Clerk, … or another Mooring), add an endpoint with the address above.",
      "If the sender asks for a secret, enter the secret that is shown here. If it creates a secret, set it under Settings of this webhook.",
    ],
  },
  {
    id: "gitlab",
    title: "GitLab",
    verification: { scheme: "gitlab" },
    handshakes: [],
    secret: "enter the same text in the field Secret token at GitLab",
    steps: [
      "In the project or group, open Settings, Webhooks, Add new webhook.",
      "URL: the address above. Secret token: the secret that you entered here. Choose the triggers and add it. Test sends an event.",
    ],
  },
  {
    id: "shopify",
    title: "Shopify",
    verification: { scheme: "shopify" },
    handshakes: [],
    secret: "the app's client secret, or the secret under Settings, Notifications, Webhooks",
    steps: [
      "In the admin, open Settings, Notifications, Webhooks, Create webhook. Format: JSON. URL: the address above.",
    ],
  },
  {
    id: "twilio",
    title: "Twilio",
    verification: { scheme: "twilio" },
    handshakes: [],
    secret: "the account's primary auth token",
    steps: [
      "In Twilio's console, open the number or service, and set the address above as its webhook, with HTTP POST.",
      "The signature covers the address, so Twilio must use this server's public URL.",
    ],
  },
  {
    id: "hmac",
    title: "Plain HMAC",
    verification: { scheme: "hmac", header: "X-Signature", algorithm: "sha256", encoding: "hex" },
    handshakes: [],
    secret: `the key, ${THEIRS}`,
    steps: [
      "The sender must compute the HMAC of the body's bytes with the secret, and put it into the header field that you named here.",
      "Set the sender to post to the address above.",
    ],
  },
  {
    id: "basic",
    title: "User name and password",
    verification: { scheme: "basic" },
    handshakes: [],
    secret: "user:password",
    steps: ["Give the sender the address above, with the user name and the password for HTTP Basic."],
  },
  {
    id: "header",
    title: "A key in a header field",
    verification: { scheme: "header", header: "X-Key" },
    handshakes: [],
    secret: `the key, ${THEIRS}`,
    steps: ["Set the sender to post to the address above, with the key in the header field that you named here."],
  },
  {
    id: "meta",
    title: "Meta (WhatsApp, Messenger)",
    verification: { scheme: "meta" },
    handshakes: ["meta"],
    secret: "the app's secret: App settings, Basic",
    steps: [
      "In the app's dashboard, open Webhooks, and set the callback URL to the address above.",
      "Verify token: the token that you entered here. Meta sends its challenge at once. Then subscribe to fields.",
    ],
  },
  {
    id: "none",
    title: "None: everybody who knows the address",
    verification: { scheme: "none" },
    handshakes: [],
    secret: null,
    steps: ["Set the sender to post to the address above. Keep the address secret: everybody who knows it can send."],
  },
];

const byTitle = (one: Preset, other: Preset): number => one.title.localeCompare(other.title, "en");

/** The other senders that the server knows, by their names. */
const OTHERS = (Object.keys(WEBHOOK_SENDERS) as WebhookSender[])
  .filter((sender) => DETAILED.every(({ id }) => id !== sender))
  .map((sender): Preset => ({
    id: sender,
    title: WEBHOOK_SENDERS[sender].title,
    verification: { scheme: sender },
    handshakes: [],
    secret: WEBHOOK_SENDERS[sender].secret,
    steps: ["At the sender, set the address above as the address of the webhook.", WEBHOOK_SENDERS[sender].where],
  }))
  .toSorted(byTitle);

/** Senders and schemes, with the steps for each. The last one verifies nothing. */
export const PRESETS: readonly Preset[] = [...DETAILED.slice(0, -1), ...OTHERS, ...DETAILED.slice(-1)];

export function presetOf(id: string): Preset {
  return PRESETS.find((preset) => preset.id === id) ?? (PRESETS.at(-1) as Preset);
}

/** The names of the schemes. */
export const SCHEME_NAMES: Readonly<Record<Scheme, string>> = {
  none: "not verified",
  hmac: "HMAC",
  basic: "HTTP Basic",
  header: "key in a header",
  ...senderTitles(),
};

function senderTitles(): Readonly<Record<WebhookSender, string>> {
  const titles = Object.entries(WEBHOOK_SENDERS).map(([id, { title }]) => [id, title]);
  return Object.fromEntries(titles) as Record<WebhookSender, string>;
}

export const HANDSHAKE_NAMES: Readonly<Record<Handshake, string>> = {
  slack: "Slack: answers url_verification",
  meta: "Meta: answers hub.challenge to senders that know the verify token",
  microsoft_graph: "Microsoft Graph: answers validationToken",
  cloudevents: "CloudEvents: answers OPTIONS with the allowed origin",
};
