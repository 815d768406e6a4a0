import type { SenderText } from "./text.ts";

/** Senders of contents, documents, forms and boards. */
export const DOCUMENTS = {
  contentful: {
    title: "Contentful",
    secret: "the signing secret",
    where: "In the space: Settings, Webhooks, Settings, Enable request verification.",
  },
  docusign: {
    title: "DocuSign Connect",
    secret: "the HMAC key",
    where: "In DocuSign: Settings, Connect, Connect Keys. With several keys, one of the signatures must match.",
  },
  typeform: {
    title: "Typeform",
    secret: "the text of the field Secret",
    where: "In the form: Connect, Webhooks, the webhook, Edit, Secret.",
  },
  calendly: {
    title: "Calendly",
    secret: "the signing key",
    where: "You choose it, and send it as signing_key when you create the subscription with the API.",
  },
  dropbox: {
    title: "Dropbox",
    secret: "the app's secret",
    where: "In the App Console of Dropbox: the app, Settings, App secret.",
  },
  trello: {
    title: "Trello",
    secret: "the app's secret",
    where: "At trello.com/power-ups/admin: the Power-Up, API key, Secret.",
  },
} as const satisfies Record<string, SenderText>;
