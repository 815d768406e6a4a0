import { crc32 } from "node:zlib";
import type { COMMERCE as ROWS } from "../commerce.ts";
import { hmac, ofBody, seconds, TEXT_KEYS, type Sample } from "./sample.ts";
import { certificate, signRsa } from "./certificates.ts";

const ADYEN_KEYS = ["44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056", "AB".repeat(32)];
const ADYEN_ITEM = {
  additionalData: {},
  amount: { value: 1130, currency: "EUR" },
  eventCode: "AUTHORISATION",
  merchantAccountCode: "TestMerchant",
  merchantReference: "TestPayment-1407325143704",
  pspReference: "7914073381342284",
  success: "true",
};
/** https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures: the values in this order. */
const ADYEN_CONTENT = "7914073381342284::TestMerchant:TestPayment-1407325143704:1130:EUR:AUTHORISATION:true";

export const COMMERCE: Readonly<Record<keyof typeof ROWS, Sample>> = {
  stripe: {
    body: '{"id": "evt_1", "type": "invoice.paid"}',
    lateAfterS: 300,
    name: "evt_1",
    type: "invoice.paid",
    sign: ({ body, key, nowMs }) => {
      const t = seconds(nowMs);
      return { headers: { "stripe-signature": `t=${t},v0=ff,v1=${hmac(key.secret, `${t}.${body}`)}` } };
    },
  },
  paypal: {
    body: '{"id": "WH-2WR32451HC0233532", "event_type": "PAYMENT.SALE.COMPLETED"}',
    keys: [{ secret: "8PT597110X687430LKGECATA" }, { secret: "1JE4291016473214C" }],
    name: "WH-2WR32451HC0233532",
    type: "PAYMENT.SALE.COMPLETED",
    sign: ({ body, key, nowMs }) => {
      const [id, time] = ["69cd13f0-d67a-11e5-baa3-778b53f4ae55", new Date(nowMs).toISOString()];
      return {
        headers: {
          "paypal-transmission-id": id,
          "paypal-transmission-time": time,
          "paypal-transmission-sig": signRsa("RSA-SHA256", `${id}|${time}|${key.secret}|${crc32(body)}`),
          "paypal-cert-url": certificate.paypalUrl,
          "paypal-auth-algo": "SHA256withRSA",
        },
      };
    },
  },
  shopify: {
    body: '{"id": 820982911946154508}',
    name: "x-shopify-webhook-id b54557e4",
    type: "orders/create",
    sign: ({ body, key }) => ({
      headers: {
        "x-shopify-hmac-sha256": hmac(key.secret, body, "base64"),
        "x-shopify-topic": "orders/create",
        "x-shopify-webhook-id": "b54557e4",
      },
    }),
  },
  square: {
    body: '{"event_id": "6a8f5f28", "type": "payment.updated"}',
    name: "6a8f5f28",
    type: "payment.updated",
    sign: ({ body, key, url }) => ({
      headers: { "x-square-hmacsha256-signature": hmac(key.secret, url + body, "base64") },
    }),
  },
  paddle: {
    body: '{"event_id": "evt_01", "event_type": "transaction.completed"}',
    lateAfterS: 60,
    name: "evt_01",
    type: "transaction.completed",
    sign: ({ body, key, nowMs }) => {
      const ts = seconds(nowMs);
      return { headers: { "paddle-signature": `ts=${ts};h1=${hmac(key.secret, `${ts}:${body}`)}` } };
    },
  },
  razorpay: ofBody(
    "x-razorpay-signature",
    "",
    { body: '{"event": "payment.captured"}', name: "x-razorpay-event-id evt_9", type: "payment.captured" },
    { "x-razorpay-event-id": "evt_9" },
  ),
  adyen: {
    body: "",
    keys: [{ secret: ADYEN_KEYS[0] ?? "" }, { secret: ADYEN_KEYS[1] ?? "" }],
    name: /^\[\["7914073381342284"\],\["AUTHORISATION"\],/,
    type: "AUTHORISATION",
    sign: ({ key }) => {
      const hmacSignature = hmac(Buffer.from(key.secret, "hex"), ADYEN_CONTENT, "base64");
      const item = { ...ADYEN_ITEM, additionalData: { hmacSignature } };
      return { body: JSON.stringify({ live: "false", notificationItems: [{ NotificationRequestItem: item }] }) };
    },
  },
  woocommerce: {
    body: '{"id": 17}',
    keys: TEXT_KEYS,
    name: "x-wc-webhook-delivery-id 7",
    type: "order.created",
    sign: ({ body, key }) => ({
      headers: {
        "x-wc-webhook-signature": hmac(key.secret, body, "base64"),
        "x-wc-webhook-delivery-id": "7",
        "x-wc-webhook-topic": "order.created",
      },
    }),
  },
};
