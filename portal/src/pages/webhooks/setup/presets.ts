import type { WEBHOOK_ROUTES, BodyOf } from "@mooring/contract";

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
  /** What the secret is, and who has it; null: there is none. */
  readonly secret: string | null;
  /** The server makes a secret when none is given. */
  readonly makesSecret?: boolean;
  /** What to do at the sender with the address, and with the secret. */
  readonly steps: readonly string[];
}

const THEIRS = "as it is set at the sender";

/** Senders and schemes, with what one has to do at each of them. */
export const PRESETS: readonly Preset[] = [
  {
    id: "github",
    title: "GitHub",
    verification: { scheme: "github" },
    handshakes: [],
    secret: "a long random text; the same goes into the field Secret at GitHub",
    steps: [
      "In the repository or organization open Settings, Webhooks, Add webhook.",
      "Payload URL: the address above. Content type: application/json. Secret: the one given here.",
      "Choose the events and add the webhook. GitHub sends a ping at once; it appears here.",
    ],
  },
  {
    id: "stripe",
    title: "Stripe",
    verification: { scheme: "stripe" },
    handshakes: [],
    secret: "whsec_…, which Stripe shows as the endpoint's signing secret",
    steps: [
      "In the Stripe dashboard open Developers, Webhooks, Add endpoint.",
      "Endpoint URL: the address above. Choose the events and add the endpoint.",
      "Reveal the signing secret there. If it is not the one given here, set it under Settings of this webhook.",
    ],
  },
  {
    id: "slack",
    title: "Slack",
    verification: { scheme: "slack" },
    handshakes: ["slack"],
    secret: "the app's signing secret: Basic Information, App Credentials",
    steps: [
      "At api.slack.com/apps open the app, Event Subscriptions, and switch Enable Events on.",
      "Request URL: the address above. Slack asks it for its challenge and shows Verified.",
      "Subscribe to events and save.",
    ],
  },
  {
    id: "standard_webhooks",
    title: "Standard Webhooks",
    verification: { scheme: "standard_webhooks" },
    handshakes: [],
    secret: "whsec_…, if the sender made one; else one is made",
    makesSecret: true,
    steps: [
      "At the sender (Svix, Resend, Clerk, … or another Mooring) add an endpoint with the address above.",
      "Where the sender takes a secret, give it the one that is shown here; where it makes one, set that under Settings of this webhook.",
    ],
  },
  {
    id: "gitlab",
    title: "GitLab",
    verification: { scheme: "gitlab" },
    handshakes: [],
    secret: "the same text goes into Secret token at GitLab",
    steps: [
      "In the project or group open Settings, Webhooks, Add new webhook.",
      "URL: the address above. Secret token: the one given here. Choose the triggers and add it; Test sends an event.",
    ],
  },
  {
    id: "shopify",
    title: "Shopify",
    verification: { scheme: "shopify" },
    handshakes: [],
    secret: "the app's client secret, or the one that Settings, Notifications, Webhooks shows",
    steps: [
      "In the admin open Settings, Notifications, Webhooks, Create webhook. Format JSON, URL: the address above.",
    ],
  },
  {
    id: "twilio",
    title: "Twilio",
    verification: { scheme: "twilio" },
    handshakes: [],
    secret: "the account's primary auth token",
    steps: [
      "In Twilio's console open the number or service, and set the address above as its webhook, by HTTP POST.",
      "The signature is over the address: it must reach this server by its public URL.",
    ],
  },
  {
    id: "hmac",
    title: "Plain HMAC",
    verification: { scheme: "hmac", header: "X-Signature", algorithm: "sha256", encoding: "hex" },
    handshakes: [],
    secret: `the key, ${THEIRS}`,
    steps: [
      "The sender computes the HMAC of the body's bytes under the key and puts it into the header field named here.",
      "Have it post to the address above.",
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
    steps: ["Have the sender post to the address above, with the key in the header field named here."],
  },
  {
    id: "meta",
    title: "Meta (WhatsApp, Messenger)",
    verification: {
      scheme: "hmac",
      header: "X-Hub-Signature-256",
      algorithm: "sha256",
      encoding: "hex",
      prefix: "sha256=",
    },
    handshakes: ["meta"],
    secret: "the app's secret: App settings, Basic",
    steps: [
      "In the app's dashboard open Webhooks, and edit the callback URL: the address above.",
      "Verify token: the one given here. Meta asks for its challenge at once. Then subscribe to fields.",
    ],
  },
  {
    id: "none",
    title: "None: everybody who knows the address",
    verification: { scheme: "none" },
    handshakes: [],
    secret: null,
    steps: ["Have the sender post to the address above. Keep the address secret: everybody who knows it can send."],
  },
];

export function presetOf(id: string): Preset {
  return PRESETS.find((preset) => preset.id === id) ?? (PRESETS.at(-1) as Preset);
}

/** How people call a scheme. */
export const SCHEME_NAMES: Readonly<Record<Scheme, string>> = {
  none: "not verified",
  standard_webhooks: "Standard Webhooks",
  github: "GitHub",
  gitlab: "GitLab",
  stripe: "Stripe",
  slack: "Slack",
  shopify: "Shopify",
  twilio: "Twilio",
  hmac: "HMAC",
  basic: "HTTP Basic",
  header: "key in a header",
};

export const HANDSHAKE_NAMES: Readonly<Record<Handshake, string>> = {
  slack: "Slack: answers url_verification",
  meta: "Meta: answers hub.challenge to senders that know the verify token",
  microsoft_graph: "Microsoft Graph: answers validationToken",
  cloudevents: "CloudEvents: answers OPTIONS with the allowed origin",
};
