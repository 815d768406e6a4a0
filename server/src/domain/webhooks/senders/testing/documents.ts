import type { DOCUMENTS as ROWS } from "../documents.ts";
import { hmac, ofBody, seconds, type Sample } from "./sample.ts";

export const DOCUMENTS: Readonly<Record<keyof typeof ROWS, Sample>> = {
  contentful: {
    body: '{"sys": {"id": "e1"}}',
    keys: [{ secret: "a".repeat(64) }, { secret: "b".repeat(64) }],
    lateAfterS: 30,
    name: /^\[\["ContentManagement\.Entry\.publish"\],/,
    type: "ContentManagement.Entry.publish",
    sign: ({ body, key, nowMs, url }) => {
      const fields = {
        "x-contentful-signed-headers": "x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic",
        "x-contentful-timestamp": String(nowMs),
        "x-contentful-topic": "ContentManagement.Entry.publish",
      };
      const lines = Object.entries(fields).map(([name, value]) => `${name}:${value}`);
      const content = ["POST", new URL(url).pathname, lines.join(";"), body].join("\n");
      return { headers: { ...fields, "x-contentful-signature": hmac(key.secret, content) } };
    },
  },
  docusign: {
    body: '{"event": "envelope-completed", "generatedDateTime": "2026-11-27T00:00:00Z", "data": {"envelopeId": "93be49ab"}}',
    name: '[["envelope-completed"],["2026-11-27T00:00:00Z"],["93be49ab"]]',
    type: "envelope-completed",
    sign: ({ body, key }) => ({
      headers: {
        "x-docusign-signature-1": hmac("another key", body, "base64"),
        "x-docusign-signature-2": hmac(key.secret, body, "base64"),
      },
    }),
  },
  typeform: {
    body: '{"event_id": "LtWXD3crgy", "event_type": "form_response"}',
    name: "LtWXD3crgy",
    type: "form_response",
    sign: ({ body, key }) => ({ headers: { "typeform-signature": `sha256=${hmac(key.secret, body, "base64")}` } }),
  },
  calendly: {
    body: '{"event": "invitee.created", "created_at": "2026-11-27T00:00:00Z", "payload": {"uri": "https://c/i/1"}}',
    lateAfterS: 180,
    name: '[["invitee.created"],["2026-11-27T00:00:00Z"],["https://c/i/1"]]',
    type: "invitee.created",
    sign: ({ body, key, nowMs }) => {
      const t = seconds(nowMs);
      return { headers: { "calendly-webhook-signature": `t=${t},v1=${hmac(key.secret, `${t}.${body}`)}` } };
    },
  },
  dropbox: ofBody("x-dropbox-signature", "", { body: '{"list_folder": {"accounts": ["dbid:1"]}}' }),
  trello: {
    body: '{"action": {"id": "51f9424b", "type": "updateCard"}}',
    name: "51f9424b",
    type: "updateCard",
    sign: ({ body, key, url }) => ({ headers: { "x-trello-webhook": hmac(key.secret, body + url, "base64", "sha1") } }),
  },
};
