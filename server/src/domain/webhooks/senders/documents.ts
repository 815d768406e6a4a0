import { BODY, DIGEST, entry, header, json, TIME, URL_TEXT } from "../verification/places.ts";
import { hmacOfBody, type Sender } from "./sender.ts";

/** The numbered fields of DocuSign, one for each active key. */
const DOCUSIGN_KEYS = [1, 2, 3, 4, 5];

/** Senders of contents, documents, forms and boards. */
export const DOCUMENTS = {
  contentful: {
    verify: [{ kind: "contentful" }],
    id: [[header("X-Contentful-Topic"), DIGEST]],
    type: [header("X-Contentful-Topic")],
    secret: { form: /^[A-Za-z0-9+/_=-]{64}$/, detail: "must be the signing secret of 64 characters" },
    source: "https://www.contentful.com/developers/docs/webhooks/request-verification/",
    sdk: "@contentful/node-apps-toolkit: signRequest",
  },
  docusign: {
    verify: DOCUSIGN_KEYS.flatMap((n) => hmacOfBody(`X-DocuSign-Signature-${n}`, { encoding: "base64" })),
    id: [[json("/event"), json("/generatedDateTime"), json("/data/envelopeId")]],
    type: [json("/event")],
    answer: { status: 200 },
    source: "https://developers.docusign.com/platform/webhooks/connect/hmac/",
  },
  typeform: {
    verify: hmacOfBody("Typeform-Signature", { prefix: "sha256=", encoding: "base64" }),
    id: [[json("/event_id")]],
    type: [json("/event_type")],
    source: "https://www.typeform.com/developers/webhooks/secure-your-webhooks/",
  },
  calendly: {
    verify: hmacOfBody("Calendly-Webhook-Signature", {
      prefix: "v1=",
      separator: ",",
      parts: [TIME, ".", BODY],
      time: { at: entry("t="), unit: "s", toleranceS: 180 },
    }),
    id: [[json("/event"), json("/created_at"), json("/payload/uri")]],
    type: [json("/event")],
    source: "https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures",
  },
  dropbox: {
    verify: hmacOfBody("X-Dropbox-Signature"),
    id: [],
    type: [],
    handshakes: ["dropbox"],
    answer: { status: 200 },
    source: "https://www.dropbox.com/developers/reference/webhooks",
  },
  trello: {
    verify: hmacOfBody("X-Trello-Webhook", { algorithm: "sha1", encoding: "base64", parts: [BODY, URL_TEXT] }),
    id: [[json("/action/id")]],
    type: [json("/action/type")],
    handshakes: ["head"],
    answer: { status: 200 },
    source: "https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/",
  },
} as const satisfies Record<string, Sender>;
