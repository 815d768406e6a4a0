import Type from "typebox";
import { Id, page } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { CursorQuery } from "../shared.ts";
import { HeaderCondition, VerifiedCondition, WebhookEvent } from "./shapes.ts";
import { webhookParams } from "./webhooks.ts";

const eventParams = Type.Object({ webhook_id: Id, event_id: Id });
const DateTime = Type.String({ format: "date-time" });

export const WEBHOOK_EVENT_ROWS = {
  listWebhookEvents: route({
    operationId: "listWebhookEvents",
    access: "event.read",
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/events",
    tag: "webhooks",
    summary: "List the events of a webhook, newest first",
    description:
      "The server checks conditions on header, pointer and text event by event. So a page may have fewer than `limit` events, or none, and still a `next_cursor`.",
    permission: "webhooks:read",
    resource: "webhooks",
    params: webhookParams,
    query: Type.Object({
      ...CursorQuery,
      from: Type.Optional(DateTime),
      to: Type.Optional(DateTime),
      type: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      header: Type.Optional(HeaderCondition),
      pointer: Type.Optional(
        Type.String({ pattern: "^(/[^/=]*)+(=.*)?$", maxLength: 1000, description: "/a/b, or /a/b=value" }),
      ),
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 500, description: "text in the body, in upper or lower case" }),
      ),
      verified: Type.Optional(VerifiedCondition),
    }),
    result: page(WebhookEvent),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  getWebhookEvent: route({
    operationId: "getWebhookEvent",
    access: "event.read",
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/events/{event_id}",
    tag: "webhooks",
    summary: "Read one event; parsed where it is JSON",
    permission: "webhooks:read",
    resource: "webhooks",
    params: eventParams,
    result: WebhookEvent,
    status: 200,
    problems: ["not_found"],
  }),
  getWebhookEventBody: route({
    operationId: "getWebhookEventBody",
    access: "event.read",
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/events/{event_id}/body",
    tag: "webhooks",
    summary: "Read the unchanged body of an event",
    permission: "webhooks:read",
    resource: "webhooks",
    params: eventParams,
    result: Type.String({ description: "the received bytes" }),
    resultType: "application/octet-stream",
    status: 200,
    problems: ["not_found"],
  }),
  pollWebhookEvents: route({
    operationId: "pollWebhookEvents",
    access: "event.read",
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/poll",
    tag: "webhooks",
    summary: "Wait for events after a cursor, oldest first",
    description: "Without `after`, the first event is the oldest one. With `after=now`, it is the next new one.",
    permission: "webhooks:read",
    resource: "webhooks",
    params: webhookParams,
    query: Type.Object({
      after: Type.Optional(Type.String({ maxLength: 512, description: "a cursor of an event or of a poll, or now" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
      wait_s: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 60, default: 0, description: "how long to wait if there is no event" }),
      ),
    }),
    result: Type.Object({
      items: Type.Array(WebhookEvent),
      cursor: Type.String({ description: "continues after the last of these events" }),
    }),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  streamWebhookEvents: route({
    operationId: "streamWebhookEvents",
    access: "event.read",
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/stream",
    tag: "webhooks",
    summary: "Stream events as they arrive, as server-sent events",
    description:
      "Each is an `event` with the JSON of one event. A later request with its id, as Last-Event-ID or last_event_id, continues after it. By default the stream begins with the next event.",
    permission: "webhooks:read",
    resource: "webhooks",
    params: webhookParams,
    query: Type.Object({ last_event_id: Type.Optional(Type.String({ maxLength: 512 })) }),
    result: Type.String({ description: "the stream of events" }),
    resultType: "text/event-stream",
    status: 200,
    problems: ["invalid_parameter", "not_found", "not_acceptable", "quota_exceeded"],
  }),
} as const;
