import { BODY, DIGEST, entry, header, json, TIME, URL_TEXT } from "../verification/places.ts";
import { hmacOfBody, type Sender } from "./sender.ts";

/** Senders of shops and payments. */
export const COMMERCE = {
  stripe: {
    verify: hmacOfBody("Stripe-Signature", {
      prefix: "v1=",
      separator: ",",
      parts: [TIME, ".", BODY],
      time: { at: entry("t="), unit: "s", toleranceS: 300 },
    }),
    id: [[json("/id")]],
    type: [json("/type")],
    source: "https://docs.stripe.com/webhooks",
    sdk: "stripe: webhooks.generateTestHeaderString",
  },
  paypal: {
    verify: [{ kind: "paypal" }],
    id: [[json("/id")]],
    type: [json("/event_type")],
    source: "https://developer.paypal.com/api/rest/webhooks/rest/",
  },
  shopify: {
    verify: hmacOfBody("X-Shopify-Hmac-Sha256", { encoding: "base64" }),
    id: [[header("X-Shopify-Webhook-Id")]],
    type: [header("X-Shopify-Topic")],
    source: "https://shopify.dev/docs/apps/build/webhooks/subscribe/https",
    sdk: "@shopify/shopify-api: webhooks.validate",
  },
  square: {
    verify: hmacOfBody("x-square-hmacsha256-signature", { encoding: "base64", parts: [URL_TEXT, BODY] }),
    id: [[json("/event_id")]],
    type: [json("/type")],
    source: "https://developer.squareup.com/docs/webhooks/step3validate",
    sdk: "square: WebhooksHelper.verifySignature",
  },
  paddle: {
    verify: hmacOfBody("Paddle-Signature", {
      prefix: "h1=",
      separator: ";",
      parts: [TIME, ":", BODY],
      time: { at: entry("ts="), unit: "s", toleranceS: 60 },
    }),
    id: [[json("/event_id")]],
    type: [json("/event_type")],
    answer: { status: 200 },
    source: "https://developer.paddle.com/webhooks/signature-verification",
    sdk: "@paddle/paddle-node-sdk: webhooks.isSignatureValid",
  },
  razorpay: {
    verify: hmacOfBody("X-Razorpay-Signature"),
    id: [[header("x-razorpay-event-id")]],
    type: [json("/event")],
    source: "https://razorpay.com/docs/webhooks/validate-test/",
    sdk: "razorpay: validateWebhookSignature",
  },
  adyen: {
    verify: [{ kind: "adyen" }],
    id: [
      [
        json("/notificationItems/*/NotificationRequestItem/pspReference"),
        json("/notificationItems/*/NotificationRequestItem/eventCode"),
        DIGEST,
      ],
    ],
    type: [json("/notificationItems/0/NotificationRequestItem/eventCode")],
    answer: { status: 200, body: "[accepted]" },
    secret: { form: /^(?:[0-9A-Fa-f]{2}){16,64}$/, detail: "must be hexadecimal digits, as Adyen shows the HMAC key" },
    source: "https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures/",
    sdk: "@adyen/api-library: HmacValidator.calculateHmac",
  },
  woocommerce: {
    verify: hmacOfBody("X-WC-Webhook-Signature", { encoding: "base64" }),
    id: [[header("X-WC-Webhook-Delivery-ID")]],
    type: [header("X-WC-Webhook-Topic")],
    handshakes: ["form_ping"],
    source: "https://woocommerce.com/document/webhooks/",
  },
} as const satisfies Record<string, Sender>;
