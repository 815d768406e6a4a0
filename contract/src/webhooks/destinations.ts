import Type from "typebox";
import { Id, Replayed, closed, nullable, page } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { CursorQuery, DisplayName, Timestamp } from "../shared.ts";
import { HeaderCondition } from "./shapes.ts";
import { webhookParams } from "./webhooks.ts";

const destinationParams = Type.Object({ webhook_id: Id, destination_id: Id });
const DateTime = Type.String({ format: "date-time" });

const Filter = Type.Object(
  {
    types: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { minItems: 1, maxItems: 100 })),
    header: Type.Optional(HeaderCondition),
    pointer: Type.Optional(
      Type.String({ pattern: "^(/[^/=]*)+(=.*)?$", maxLength: 1000, description: "/a/b, or /a/b=value" }),
    ),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: "in the body, in upper or lower case" }),
    ),
  },
  { ...closed, description: "an event must match all given conditions" },
);

const settings = {
  filter: Filter,
  ordered: Type.Boolean({ description: "true: each event waits until the previous one is delivered or dead" }),
  rate_per_second: nullable(
    Type.Integer({ minimum: 1, maximum: 10_000, description: "null: as fast as the destination accepts them" }),
  ),
};

const given = {
  filter: Type.Optional(settings.filter),
  ordered: Type.Optional(settings.ordered),
  rate_per_second: Type.Optional(settings.rate_per_second),
  enabled: Type.Optional(Type.Boolean({ description: "false: paused; events wait" })),
};

const Url = Type.String({ minLength: 1, maxLength: 2048, description: "https, to a public address" });

const Destination = Type.Object({
  id: Id,
  webhook_id: Id,
  name: DisplayName,
  url: Type.String({ description: "callers who may not change it see only the beginning" }),
  ...settings,
  state: Type.Enum(["active", "paused", "stopped"]),
  reason: nullable(Type.String({ description: "why it was paused" })),
  delivered: Type.Integer(),
  failures: Type.Integer({ description: "in a row" }),
  failing_since: nullable(Timestamp),
  last_attempt_at: nullable(Timestamp),
  last_status: nullable(Type.Integer()),
  last_error: nullable(Type.String()),
  created_by: Type.String(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const Delivery = Type.Object({
  id: Id,
  event_id: Type.String({ description: "the webhook-id of every attempt" }),
  status: Type.Enum(["pending", "delivered", "dead"]),
  attempts: Type.Integer(),
  created_at: Timestamp,
  last_attempt_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
  response_status: nullable(Type.Integer()),
  error: nullable(Type.String()),
});

const secret = nullable(Type.String({ description: "whsec_…, for checking signatures; shown once" }));
const Count = Type.Object({ count: Type.Integer({ description: "requests that wait to be sent" }) });

export const WEBHOOK_DESTINATION_ROWS = {
  listWebhookDestinations: route({
    operationId: "listWebhookDestinations",
    secret: true,
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/destinations",
    tag: "webhooks",
    summary: "List the destinations of a webhook's events, oldest first",
    permission: "webhooks:read",
    resource: "webhooks",
    params: webhookParams,
    result: Type.Object({ items: Type.Array(Destination) }),
    status: 200,
    problems: ["not_found"],
  }),
  createWebhookDestination: route({
    operationId: "createWebhookDestination",
    secret: true,
    method: "POST",
    path: "/v1/webhooks/{webhook_id}/destinations",
    tag: "webhooks",
    summary:
      "Create a destination: the webhook's events are forwarded to it in signed requests (Standard Webhooks), from now on",
    permission: "webhooks:write",
    resource: "webhooks",
    params: webhookParams,
    body: Type.Object({ name: DisplayName, url: Url, ...given }, closed),
    result: Type.Object({ ...Destination.properties, secret, replayed: Replayed }),
    status: 201,
    problems: ["invalid_body", "not_found", "limit_reached"],
    idempotent: true,
  }),
  getWebhookDestination: route({
    operationId: "getWebhookDestination",
    secret: true,
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/destinations/{destination_id}",
    tag: "webhooks",
    summary: "Read a destination and its state",
    permission: "webhooks:read",
    resource: "webhooks",
    params: destinationParams,
    result: Destination,
    status: 200,
    problems: ["not_found"],
  }),
  updateWebhookDestination: route({
    operationId: "updateWebhookDestination",
    secret: true,
    method: "PATCH",
    path: "/v1/webhooks/{webhook_id}/destinations/{destination_id}",
    tag: "webhooks",
    summary: "Change, pause or resume a destination",
    description: `A resumed destination continues where it stopped, and waiting events are tried at once.`,
    headers: ["If-Match"],
    permission: "webhooks:write",
    resource: "webhooks",
    params: destinationParams,
    body: Type.Object(
      { name: Type.Optional(DisplayName), url: Type.Optional(Url), ...given },
      { ...closed, minProperties: 1 },
    ),
    result: Destination,
    status: 200,
    problems: ["invalid_body", "not_found", "concurrent_update"],
  }),
  deleteWebhookDestination: route({
    operationId: "deleteWebhookDestination",
    method: "DELETE",
    path: "/v1/webhooks/{webhook_id}/destinations/{destination_id}",
    tag: "webhooks",
    summary: "Delete a destination; its pending events are not sent",
    permission: "webhooks:write",
    resource: "webhooks",
    params: destinationParams,
    status: 204,
    problems: ["not_found"],
  }),
  rotateWebhookDestinationSecret: route({
    operationId: "rotateWebhookDestinationSecret",
    secret: true,
    method: "POST",
    path: "/v1/webhooks/{webhook_id}/destinations/{destination_id}/rotate-secret",
    tag: "webhooks",
    summary: "Replace the secret that signs a destination's requests",
    description: "The old secret also signs for `overlap_s` seconds.",
    permission: "webhooks:write",
    resource: "webhooks",
    recentSignIn: true,
    params: destinationParams,
    body: Type.Object(
      { overlap_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800, default: 86_400 })) },
      closed,
    ),
    result: Type.Object({ secret, former_secret_until: nullable(Timestamp), replayed: Replayed }),
    status: 201,
    problems: ["invalid_body", "not_found"],
    idempotent: true,
  }),
  listWebhookDeliveries: route({
    operationId: "listWebhookDeliveries",
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/destinations/{destination_id}/deliveries",
    tag: "webhooks",
    summary: "List the events that a destination did not accept at the first attempt, or got again, newest first",
    description: "Events with the status `dead` were given up: the dead letters.",
    permission: "webhooks:read",
    resource: "webhooks",
    params: destinationParams,
    query: Type.Object({
      ...CursorQuery,
      status: Type.Optional(Type.Enum(["pending", "delivered", "dead"])),
    }),
    result: page(Delivery),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  replayWebhookDeliveries: route({
    operationId: "replayWebhookDeliveries",
    method: "POST",
    path: "/v1/webhooks/{webhook_id}/destinations/{destination_id}/replay",
    tag: "webhooks",
    summary: "Send dead letters again, or all events of a time range",
    description: "Without `from` and `to` it sends the dead letters. A time range may have 10,000 events at most.",
    permission: "webhooks:write",
    resource: "webhooks",
    params: destinationParams,
    body: Type.Object({ from: Type.Optional(DateTime), to: Type.Optional(DateTime) }, closed),
    result: Count,
    status: 202,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
  replayWebhookEvent: route({
    operationId: "replayWebhookEvent",
    method: "POST",
    path: "/v1/webhooks/{webhook_id}/events/{event_id}/replay",
    tag: "webhooks",
    summary: "Send one event again, to one destination or to all active ones",
    permission: "webhooks:write",
    resource: "webhooks",
    params: Type.Object({ webhook_id: Id, event_id: Id }),
    body: Type.Object({ destination_id: Type.Optional(Id) }, closed),
    result: Count,
    status: 202,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
} as const;
