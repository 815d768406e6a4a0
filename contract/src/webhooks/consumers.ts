import Type from "typebox";
import { Id, IdOrSlug, closed, nullable } from "../organization/shapes.ts";
import { route } from "../route.ts";
import { Timestamp } from "../shared.ts";
import { WebhookEvent } from "./shapes.ts";
import { webhookParams } from "./webhooks.ts";

const Name = Type.String({ pattern: "^[a-z0-9][a-z0-9_.-]{0,62}$", description: "a-z, 0-9, dot, hyphen, underscore" });
const consumerParams = Type.Object({ webhook_id: Id, consumer: Type.String({ maxLength: 64 }) });

const Consumer = Type.Object({
  name: Name,
  cursor: Type.String({ description: "events up to here are done" }),
  leased_until: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const Days = nullable(Type.Integer({ minimum: 1, maximum: 36_500, description: "null: the server's default" }));

export const WEBHOOK_CONSUMER_ROWS = {
  listWebhookConsumers: route({
    operationId: "listWebhookConsumers",
    method: "GET",
    path: "/v1/webhooks/{webhook_id}/consumers",
    tag: "webhooks",
    summary: "List the consumers of a webhook's events, and their positions",
    permission: "webhooks:read",
    resource: "webhooks",
    params: webhookParams,
    result: Type.Object({ items: Type.Array(Consumer) }),
    status: 200,
    problems: ["not_found"],
  }),
  createWebhookConsumer: route({
    operationId: "createWebhookConsumer",
    method: "POST",
    path: "/v1/webhooks/{webhook_id}/consumers",
    tag: "webhooks",
    summary: "Create a named reader, whose place this server keeps",
    permission: "webhooks:write",
    resource: "webhooks",
    params: webhookParams,
    body: Type.Object(
      { name: Name, from: Type.Optional(Type.Enum(["oldest", "now"], { description: "by default now" })) },
      closed,
    ),
    result: Consumer,
    status: 201,
    problems: ["invalid_body", "not_found", "conflict", "limit_reached"],
  }),
  deleteWebhookConsumer: route({
    operationId: "deleteWebhookConsumer",
    method: "DELETE",
    path: "/v1/webhooks/{webhook_id}/consumers/{consumer}",
    tag: "webhooks",
    summary: "Delete a named reader",
    permission: "webhooks:write",
    resource: "webhooks",
    params: consumerParams,
    status: 204,
    problems: ["not_found"],
  }),
  claimWebhookEvents: route({
    operationId: "claimWebhookEvents",
    access: "event.read",
    method: "POST",
    path: "/v1/webhooks/{webhook_id}/consumers/{consumer}/claim",
    tag: "webhooks",
    summary: "Get the next events under a lease, oldest first",
    description:
      "Until the lease ends or its events are acknowledged, other claims of this consumer get no events (409 with Retry-After). After the lease, events that were not acknowledged come again.",
    permission: "webhooks:read",
    resource: "webhooks",
    params: consumerParams,
    body: Type.Object(
      {
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
        lease_s: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600, default: 60 })),
        wait_s: Type.Optional(Type.Integer({ minimum: 0, maximum: 60, default: 0 })),
      },
      closed,
    ),
    result: Type.Object({
      lease_id: nullable(Type.String({ description: "null when there is no event" })),
      leased_until: nullable(Timestamp),
      items: Type.Array(WebhookEvent),
    }),
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
  acknowledgeWebhookEvents: route({
    operationId: "acknowledgeWebhookEvents",
    method: "POST",
    path: "/v1/webhooks/{webhook_id}/consumers/{consumer}/acknowledge",
    tag: "webhooks",
    summary: "Acknowledge the events of a lease, or return them",
    permission: "webhooks:read",
    resource: "webhooks",
    params: consumerParams,
    body: Type.Object(
      {
        lease_id: Id,
        cursor: Type.Optional(
          Type.String({
            maxLength: 512,
            description: "the cursor of the last finished event; all of the lease by default",
          }),
        ),
        release: Type.Optional(Type.Boolean({ description: "true: no event is finished" })),
      },
      closed,
    ),
    result: Consumer,
    status: 200,
    problems: ["invalid_body", "not_found", "conflict"],
  }),
  getWebhookSettings: route({
    operationId: "getWebhookSettings",
    method: "GET",
    path: "/v1/projects/{project_id}/webhook-settings",
    tag: "webhooks",
    summary: "Show how long events of a project's webhooks are kept",
    permission: "webhooks:read",
    resource: "unlimited",
    params: Type.Object({ project_id: IdOrSlug }),
    result: Type.Object({ retention_days: Days, default_retention_days: Type.Integer() }),
    status: 200,
    problems: ["not_found"],
  }),
  updateWebhookSettings: route({
    operationId: "updateWebhookSettings",
    method: "PATCH",
    path: "/v1/projects/{project_id}/webhook-settings",
    tag: "webhooks",
    summary: "Set how long events of a project's webhooks are kept",
    permission: "webhooks:write",
    resource: "unlimited",
    params: Type.Object({ project_id: IdOrSlug }),
    headers: ["If-Match"],
    body: Type.Object({ retention_days: Days }, closed),
    result: Type.Object({ retention_days: Days, default_retention_days: Type.Integer() }),
    status: 200,
    problems: ["invalid_body", "not_found", "concurrent_update"],
  }),
} as const;
