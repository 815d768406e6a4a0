import type { SenderText } from "./text.ts";

/** Senders of messages, calls, mail and conversations. */
export const MESSAGES = {
  slack: {
    title: "Slack",
    secret: "the app's signing secret",
    where: "At api.slack.com/apps: the app, Basic Information, App Credentials, Signing Secret.",
  },
  discord: {
    title: "Discord",
    secret: "the application's public key",
    where: "In the developer portal of Discord: the application, General Information, Public Key.",
  },
  twilio: {
    title: "Twilio",
    secret: "the account's primary auth token",
    where: "In the console of Twilio: Account Info, Auth Token.",
  },
  sendgrid: {
    title: "SendGrid",
    secret: "the verification key",
    where:
      "In SendGrid: Settings, Mail Settings, Event Webhooks, the webhook, Security features, Signature Verification.",
  },
  mailgun: {
    title: "Mailgun",
    secret: "the HTTP webhook signing key",
    where: "In Mailgun: Send, Webhooks, HTTP webhook signing key.",
  },
  postmark: {
    title: "Postmark",
    secret: "user:password",
    where: "You choose it. Put user:password@ into the URL of the webhook, or enter both under Basic auth.",
  },
  zoom: {
    title: "Zoom",
    secret: "the secret token",
    where: "In the Zoom App Marketplace: the app, Features, Access, Secret Token.",
  },
  line: {
    title: "LINE",
    secret: "the channel secret",
    where: "In the LINE Developers Console: the channel, Basic settings, Channel secret.",
  },
  telegram: {
    title: "Telegram",
    secret: "the secret_token of setWebhook",
    where: "You choose it, and send it to Telegram with setWebhook: url and secret_token.",
  },
  meta: {
    title: "Meta, with WhatsApp, Messenger and Instagram",
    secret: "the app's secret",
    where:
      "In the app's dashboard: App settings, Basic, App secret. The verify token is another text, which you choose.",
  },
  intercom: {
    title: "Intercom",
    secret: "the app's client secret",
    where: "In the Developer Hub of Intercom: the app, Basic information, Client secret.",
  },
  hubspot: {
    title: "HubSpot",
    secret: "the app's client secret",
    where: "In the developer account of HubSpot: the app, Auth, Client secret.",
  },
} as const satisfies Record<string, SenderText>;
