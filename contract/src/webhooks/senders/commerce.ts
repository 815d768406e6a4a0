import type { SenderText } from "./text.ts";

/** Senders of shops and payments. */
export const COMMERCE = {
  stripe: {
    title: "Stripe",
    secret: "whsec_…",
    where: "In the dashboard of Stripe: Developers, Webhooks, the endpoint, Signing secret.",
  },
  paypal: {
    title: "PayPal",
    secret: "the ID of the webhook",
    where: "In the dashboard for developers: Apps and Credentials, the app, Webhooks, Webhook ID.",
  },
  shopify: {
    title: "Shopify",
    secret: "the app's client secret, or that of the store's notifications",
    where: "In the app: Settings, Client secret. For webhooks of the admin: Settings, Notifications, Webhooks.",
  },
  square: {
    title: "Square",
    secret: "the signature key",
    where: "In the developer console of Square: the application, Webhooks, the subscription, Signature key.",
  },
  paddle: {
    title: "Paddle Billing",
    secret: "pdl_ntfset_…",
    where: "In Paddle: Developer tools, Notifications, the destination, Secret key.",
  },
  razorpay: {
    title: "Razorpay",
    secret: "the text of the field Secret",
    where: "In the dashboard of Razorpay: Account and Settings, Webhooks, the webhook, Secret.",
  },
  adyen: {
    title: "Adyen",
    secret: "the HMAC key, in hexadecimal digits",
    where: "In the Customer Area: Developers, Webhooks, the standard webhook, HMAC key. It is shown once.",
  },
  woocommerce: {
    title: "WooCommerce",
    secret: "the text of the field Secret",
    where: "In WordPress: WooCommerce, Settings, Advanced, Webhooks, the webhook, Secret.",
  },
} as const satisfies Record<string, SenderText>;
