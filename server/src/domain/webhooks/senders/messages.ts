import { BODY, DIGEST, header, json, METHOD, TIME, URL_TEXT } from "../verification/places.ts";
import { hmacOfBody, type Sender } from "./sender.ts";

/** Senders of messages, calls, mail and conversations. */
export const MESSAGES = {
  slack: {
    verify: hmacOfBody("X-Slack-Signature", {
      prefix: "v0=",
      parts: ["v0:", TIME, ":", BODY],
      time: { at: header("X-Slack-Request-Timestamp"), unit: "s", toleranceS: 300 },
    }),
    id: [[json("/event_id")]],
    type: [json("/type")],
    source: "https://docs.slack.dev/authentication/verifying-requests-from-slack/",
  },
  discord: {
    verify: [
      {
        kind: "ed25519",
        key: "ed25519_hex",
        signature: { field: header("X-Signature-Ed25519"), encoding: "hex" },
        parts: [TIME, BODY],
        time: { at: header("X-Signature-Timestamp"), unit: "s", toleranceS: null },
      },
    ],
    id: [[json("/id")], [DIGEST]],
    type: [json("/event/type"), json("/type")],
    handshakes: ["discord"],
    answer: { status: 204 },
    secret: { form: /^[0-9A-Fa-f]{64}$/, detail: "must be the application's public key, 64 hexadecimal digits" },
    source: "https://discord.com/developers/docs/events/webhook-events",
    sdk: "discord-interactions: verifyKey",
  },
  twilio: {
    verify: [{ kind: "twilio" }],
    id: [[header("I-Twilio-Idempotency-Token")]],
    type: [json("/type")],
    source: "https://www.twilio.com/docs/usage/webhooks/webhooks-security",
    sdk: "twilio: getExpectedTwilioSignature",
  },
  sendgrid: {
    verify: [
      {
        kind: "ecdsa",
        key: "spki",
        signature: { field: header("X-Twilio-Email-Event-Webhook-Signature"), encoding: "base64" },
        parts: [TIME, BODY],
        time: { at: header("X-Twilio-Email-Event-Webhook-Timestamp"), unit: "s", toleranceS: null },
      },
    ],
    id: [[json("/sg_event_id")]],
    type: [json("/event")],
    batch: true,
    secret: { form: /^[A-Za-z0-9+/]{80,}=*$/, detail: "must be the verification key that SendGrid shows" },
    source:
      "https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features",
    sdk: "@sendgrid/eventwebhook: EventWebhook.verifySignature",
  },
  mailgun: {
    verify: [
      {
        kind: "hmac",
        algorithm: "sha256",
        key: "text",
        signature: { field: json("/signature/signature"), encoding: "hex" },
        parts: [TIME, json("/signature/token")],
        time: { at: json("/signature/timestamp"), unit: "s", toleranceS: null },
      },
    ],
    id: [[json("/event-data/id")]],
    type: [json("/event-data/event")],
    answer: { status: 200 },
    source: "https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks",
  },
  postmark: {
    verify: [{ kind: "basic" }],
    id: [[json("/MessageID"), DIGEST]],
    type: [json("/RecordType")],
    answer: { status: 200 },
    secret: { form: /^[^:]+:.+$/, detail: "must be the user name, a colon and the password" },
    source: "https://postmarkapp.com/developer/webhooks/webhooks-overview",
  },
  zoom: {
    verify: hmacOfBody("x-zm-signature", {
      prefix: "v0=",
      parts: ["v0:", TIME, ":", BODY],
      time: { at: header("x-zm-request-timestamp"), unit: "s", toleranceS: 300 },
    }),
    id: [[json("/event_ts"), DIGEST]],
    type: [json("/event")],
    handshakes: ["zoom"],
    answer: { status: 200 },
    source: "https://developers.zoom.us/docs/api/webhooks/",
  },
  line: {
    verify: hmacOfBody("x-line-signature", { encoding: "base64" }),
    id: [[json("/events/*/webhookEventId")]],
    type: [json("/events/0/type")],
    answer: { status: 200 },
    source: "https://developers.line.biz/en/docs/messaging-api/verify-webhook-signature/",
    sdk: "@line/bot-sdk: validateSignature",
  },
  telegram: {
    verify: [{ kind: "equal", places: [header("X-Telegram-Bot-Api-Secret-Token")] }],
    id: [[json("/update_id")]],
    type: [],
    answer: { status: 200 },
    secret: { form: /^[A-Za-z0-9_-]{8,256}$/, detail: "must be 8 to 256 letters, digits, _ or -" },
    source: "https://core.telegram.org/bots/api#setwebhook",
  },
  meta: {
    verify: hmacOfBody("X-Hub-Signature-256", { prefix: "sha256=" }),
    id: [[json("/object"), DIGEST]],
    type: [json("/object")],
    handshakes: ["meta"],
    answer: { status: 200 },
    source: "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
  },
  intercom: {
    verify: hmacOfBody("X-Hub-Signature", { algorithm: "sha1", prefix: "sha1=" }),
    id: [[json("/id")]],
    type: [json("/topic")],
    handshakes: ["head"],
    answer: { status: 200 },
    source: "https://developers.intercom.com/docs/webhooks/setting-up-webhooks",
  },
  hubspot: {
    verify: hmacOfBody("X-HubSpot-Signature-v3", {
      encoding: "base64",
      parts: [METHOD, URL_TEXT, BODY, TIME],
      time: { at: header("X-HubSpot-Request-Timestamp"), unit: "ms", toleranceS: 300 },
    }),
    id: [[json("/eventId"), json("/subscriptionId"), json("/occurredAt")]],
    type: [json("/subscriptionType")],
    batch: true,
    source: "https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests",
    sdk: "@hubspot/api-client: Signature.getSignature",
  },
} as const satisfies Record<string, Sender>;
