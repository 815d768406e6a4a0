import type { MESSAGES as ROWS } from "../messages.ts";
import { basicOf, ed25519Keys, hmac, ofBody, ofSecret, p256Keys, seconds, signedBy, type Sample } from "./sample.ts";

export const MESSAGES: Readonly<Record<keyof typeof ROWS, Sample>> = {
  slack: {
    body: '{"type": "event_callback", "event_id": "Ev1"}',
    lateAfterS: 300,
    name: "Ev1",
    type: "event_callback",
    sign: ({ body, key, nowMs }) => {
      const time = seconds(nowMs);
      const signature = `v0=${hmac(key.secret, `v0:${time}:${body}`)}`;
      return { headers: { "x-slack-request-timestamp": time, "x-slack-signature": signature } };
    },
  },
  discord: {
    body: '{"version": 1, "type": 1, "event": {"type": "APPLICATION_AUTHORIZED"}}',
    keys: ed25519Keys((raw) => raw.toString("hex")),
    name: /^[\w-]{43}$/,
    type: "APPLICATION_AUTHORIZED",
    sign: ({ body, key, nowMs }) => {
      const time = seconds(nowMs);
      const signature = signedBy(key, null, time + body).toString("hex");
      return { headers: { "x-signature-timestamp": time, "x-signature-ed25519": signature } };
    },
  },
  twilio: {
    body: "From=%2B15551234&Body=hello+there",
    name: "i-twilio-idempotency-token 17",
    sign: ({ key, url, body }) => {
      const { Body, From } = Object.fromEntries(new URLSearchParams(body)) as Record<string, string>;
      return {
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          "x-twilio-signature": hmac(key.secret, `${url}Body${Body}From${From}`, "base64", "sha1"),
          "i-twilio-idempotency-token": "17",
        },
      };
    },
  },
  sendgrid: {
    body: '{"sg_event_id": "ZHVyLTE", "event": "delivered"}',
    keys: p256Keys(),
    name: "ZHVyLTE",
    type: "delivered",
    sign: ({ body, key, nowMs }) => {
      const time = seconds(nowMs);
      return {
        headers: {
          "x-twilio-email-event-webhook-timestamp": time,
          "x-twilio-email-event-webhook-signature": signedBy(key, "sha256", time + body).toString("base64"),
        },
      };
    },
  },
  mailgun: {
    body: "",
    covers: false,
    name: "CPgfbmQMTCKtHW6uIWtuVe",
    type: "delivered",
    sign: ({ key, nowMs }) => {
      const [timestamp, token] = [seconds(nowMs), "b53fd8b1db4f5c4fd1b6"];
      const signature = { timestamp, token, signature: hmac(key.secret, timestamp + token) };
      const event = { id: "CPgfbmQMTCKtHW6uIWtuVe", event: "delivered" };
      return { body: JSON.stringify({ signature, "event-data": event }) };
    },
  },
  postmark: {
    body: '{"RecordType": "Delivery", "MessageID": "883953f4"}',
    keys: [{ secret: "ada:open sesame" }, { secret: "ada:closed" }],
    covers: false,
    name: /^\[\["883953f4"\],/,
    type: "Delivery",
    sign: ({ key }) => ({ headers: { authorization: basicOf(key.secret) } }),
  },
  zoom: {
    body: '{"event": "meeting.started", "event_ts": 1795000000000}',
    lateAfterS: 300,
    name: /^\[\["1795000000000"\],/,
    type: "meeting.started",
    sign: ({ body, key, nowMs }) => {
      const time = seconds(nowMs);
      const signature = `v0=${hmac(key.secret, `v0:${time}:${body}`)}`;
      return { headers: { "x-zm-request-timestamp": time, "x-zm-signature": signature } };
    },
  },
  line: {
    body: '{"events": [{"type": "message", "webhookEventId": "01H"}, {"type": "follow", "webhookEventId": "01J"}]}',
    name: '[["01H","01J"]]',
    type: "message",
    sign: ({ body, key }) => ({ headers: { "x-line-signature": hmac(key.secret, body, "base64") } }),
  },
  telegram: ofSecret("x-telegram-bot-api-secret-token", {
    keys: [{ secret: "a-secret_of_ours" }, { secret: "another_secret" }],
    body: '{"update_id": 10000, "message": {}}',
    name: "10000",
  }),
  meta: ofBody("x-hub-signature-256", "sha256=", {
    body: '{"object": "whatsapp_business_account", "entry": []}',
    name: /^\[\["whatsapp_business_account"\],/,
    type: "whatsapp_business_account",
  }),
  intercom: {
    body: '{"id": "notif_1", "topic": "conversation.user.created"}',
    name: "notif_1",
    type: "conversation.user.created",
    sign: ({ body, key }) => ({ headers: { "x-hub-signature": `sha1=${hmac(key.secret, body, "hex", "sha1")}` } }),
  },
  hubspot: {
    body: '{"eventId": 1, "subscriptionId": 2, "occurredAt": 1795000000000, "subscriptionType": "contact.creation"}',
    lateAfterS: 300,
    name: '[["1"],["2"],["1795000000000"]]',
    type: "contact.creation",
    sign: ({ body, key, url, nowMs }) => ({
      headers: {
        "x-hubspot-request-timestamp": String(nowMs),
        "x-hubspot-signature-v3": hmac(key.secret, `POST${url}${body}${nowMs}`, "base64"),
      },
    }),
  },
};
