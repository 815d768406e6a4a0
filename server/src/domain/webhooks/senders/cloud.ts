import { BODY, DIGEST, entry, header, json, query, TIME } from "../verification/places.ts";
import { hmacOfBody, type Sender } from "./sender.ts";

const TENANT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const EVENT_GRID = {
  id: [[json("/id")]],
  type: [json("/eventType")],
  batch: true,
  handshakes: ["event_grid", "cloudevents"],
} as const;

/** Senders of clouds, and of identities. */
export const CLOUD = {
  aws_sns: {
    verify: [{ kind: "sns" }],
    id: [[json("/MessageId")]],
    type: [header("x-amz-sns-message-type")],
    handshakes: ["sns"],
    answer: { status: 200 },
    secret: {
      form: /^arn:(?:aws|aws-cn|aws-us-gov):sns:[a-z0-9-]{3,30}:\d{12}:[\w-]{1,256}(?:\.fifo)?$/,
      detail: "must be the ARN of the topic, for example arn:aws:sns:eu-west-1:123456789012:orders",
    },
    source: "https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html",
    sdk: "sns-validator: MessageValidator.validate",
  },
  aws_eventbridge: {
    verify: [
      { kind: "equal", places: [header("X-Api-Key"), { ...header("Authorization"), prefix: "Bearer " }] },
      { kind: "basic" },
    ],
    id: [[json("/id")]],
    type: [json("/detail-type")],
    answer: { status: 200 },
    source: "https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html",
  },
  azure_event_grid: {
    ...EVENT_GRID,
    verify: [{ kind: "equal", places: [query("key"), header("X-Api-Key")] }],
    source: "https://learn.microsoft.com/azure/event-grid/security-authentication",
  },
  azure_event_grid_entra: {
    ...EVENT_GRID,
    verify: [{ kind: "entra" }],
    secret: { form: TENANT, detail: "must be the ID of the Microsoft Entra tenant, in lower case" },
    needsAudience: true,
    source: "https://learn.microsoft.com/azure/event-grid/secure-webhook-delivery",
  },
  google_pubsub: {
    verify: [{ kind: "google" }],
    id: [[json("/subscription"), json("/message/messageId")]],
    type: [json("/message/attributes/eventType"), json("/message/attributes/ce-type")],
    secret: { form: /^[^@\s]+@[^@\s]+$/, detail: "must be the e-mail address of the service account" },
    source: "https://docs.cloud.google.com/pubsub/docs/authenticate-push-subscriptions",
  },
  microsoft_graph: {
    verify: [{ kind: "equal", places: [json("/value/*/clientState")] }],
    id: [],
    type: [json("/value/0/changeType")],
    handshakes: ["microsoft_graph"],
    source: "https://learn.microsoft.com/graph/change-notifications-delivery-webhooks",
  },
  cloudevents: {
    verify: [],
    id: [],
    type: [header("ce-type"), json("/type")],
    handshakes: ["cloudevents"],
    source: "https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md",
  },
  auth0: {
    verify: [{ kind: "equal", places: [header("Authorization")] }],
    id: [[json("/log_id")], [DIGEST]],
    type: [json("/data/type")],
    batch: true,
    source: "https://auth0.com/docs/customize/log-streams/custom-log-streams",
  },
  okta: {
    verify: [{ kind: "equal", places: [header("Authorization")] }],
    id: [[json("/data/events/*/uuid")], [json("/eventId")]],
    type: [json("/data/events/0/eventType"), json("/eventType")],
    handshakes: ["okta"],
    answer: { status: 200 },
    source: "https://developer.okta.com/docs/concepts/event-hooks/",
  },
  workos: {
    verify: hmacOfBody("WorkOS-Signature", {
      prefix: "v1=",
      separator: ",",
      parts: [TIME, ".", BODY],
      time: { at: entry("t="), unit: "ms", toleranceS: 180 },
    }),
    id: [[json("/id")]],
    type: [json("/event")],
    answer: { status: 200 },
    source: "https://workos.com/docs/events/data-syncing/webhooks",
    sdk: "@workos-inc/node: webhooks.verifyHeader",
  },
} as const satisfies Record<string, Sender>;
