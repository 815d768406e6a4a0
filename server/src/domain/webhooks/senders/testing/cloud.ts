import type { CLOUD as ROWS } from "../cloud.ts";
import { certificate, signRsa } from "./certificates.ts";
import { hmac, ofSecret, type Key, type Sample, type Signing } from "./sample.ts";
import { tokenOf } from "./tokens.ts";

export const TOPICS: readonly [Key, Key] = [
  { secret: "arn:aws:sns:eu-west-1:123456789012:orders" },
  { secret: "arn:aws:sns:eu-west-1:123456789012:refunds" },
];
export const TENANTS: readonly [Key, Key] = [
  { secret: "11111111-2222-3333-4444-555555555555" },
  { secret: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee" },
];
const ACCOUNTS: readonly [Key, Key] = [
  { secret: "push@acme.iam.gserviceaccount.com" },
  { secret: "other@acme.iam.gserviceaccount.com" },
];
const GRID_EVENT = '{"id": "e-1", "eventType": "Microsoft.Storage.BlobCreated", "data": {}}';
const GRID = { body: GRID_EVENT, name: "e-1", type: "Microsoft.Storage.BlobCreated" };

/** Returns a notification of SNS, with its members changed before it is signed. */
export function notification(
  { key }: Pick<Signing, "key">,
  change: Readonly<Record<string, string>> = {},
  version = "2",
): string {
  const message: Record<string, string> = {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: key.secret,
    Subject: "My subject",
    Message: "Hello é",
    Timestamp: "2026-11-27T00:00:00.000Z",
    ...change,
  };
  const names = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
  const content = names
    .filter((name) => name in message)
    .map((name) => `${name}\n${message[name]}\n`)
    .join("");
  const signature = signRsa(version === "1" ? "RSA-SHA1" : "RSA-SHA256", content);
  return JSON.stringify({
    ...message,
    SignatureVersion: version,
    Signature: signature,
    SigningCertURL: certificate.snsUrl,
  });
}

export const CLOUD: Readonly<Record<keyof typeof ROWS, Sample>> = {
  aws_sns: {
    body: "",
    keys: TOPICS,
    name: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    type: "Notification",
    sign: (signing) => ({
      body: notification(signing),
      headers: { "content-type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification" },
    }),
  },
  aws_eventbridge: ofSecret("x-api-key", {
    body: '{"id": "53dc4d37", "detail-type": "EC2 Instance State-change Notification"}',
    name: "53dc4d37",
    type: "EC2 Instance State-change Notification",
  }),
  azure_event_grid: {
    ...GRID,
    covers: false,
    keys: [{ secret: "a-key-of-ours" }, { secret: "another-key" }],
    sign: ({ key }) => ({ query: `key=${key.secret}` }),
  },
  azure_event_grid_entra: {
    ...GRID,
    covers: false,
    keys: TENANTS,
    audience: "api://mooring",
    sign: ({ key, nowMs }) => ({
      headers: {
        authorization: `Bearer ${tokenOf({
          claims: {
            iss: `https://sts.windows.net/${key.secret}/`,
            aud: "api://mooring",
            appid: "4962773b-9cdb-44cf-a8bf-237846a00ab7",
          },
          nowMs,
        })}`,
      },
    }),
  },
  google_pubsub: {
    body: '{"message": {"messageId": "136969346945", "attributes": {"eventType": "OBJECT_FINALIZE"}}, "subscription": "projects/p/subscriptions/s"}',
    keys: ACCOUNTS,
    covers: false,
    name: '[["projects/p/subscriptions/s"],["136969346945"]]',
    type: "OBJECT_FINALIZE",
    sign: ({ key, nowMs, url }) => ({
      headers: {
        authorization: `Bearer ${tokenOf({
          claims: { iss: "https://accounts.google.com", aud: url, email: key.secret, email_verified: true },
          nowMs,
        })}`,
      },
    }),
  },
  microsoft_graph: {
    body: "",
    covers: false,
    type: "updated",
    sign: ({ key }) => {
      const change = { subscriptionId: "s", changeType: "updated", resource: "me/messages", clientState: key.secret };
      return { body: JSON.stringify({ value: [change, { ...change, changeType: "created" }] }) };
    },
  },
  cloudevents: {
    body: '{"specversion": "1.0", "id": "1", "source": "/a", "type": "order.paid"}',
    covers: false,
    type: "order.paid",
    sign: () => ({}),
  },
  auth0: ofSecret("authorization", { body: '{"log_id": "90020", "data": {"type": "s"}}', name: "90020", type: "s" }),
  okta: ofSecret("authorization", {
    body: '{"eventId": "b5a188b9", "data": {"events": [{"uuid": "u1", "eventType": "user.session.start"}]}}',
    name: "u1",
    type: "user.session.start",
  }),
  workos: {
    body: '{"id":"wh_07FKJ8","event":"dsync.activated"}',
    lateAfterS: 180,
    name: "wh_07FKJ8",
    type: "dsync.activated",
    sign: ({ body, key, nowMs }) => ({
      headers: { "workos-signature": `t=${nowMs}, v1=${hmac(key.secret, `${nowMs}.${body}`)}` },
    }),
  },
};
