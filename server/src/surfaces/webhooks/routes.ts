import type { FastifyInstance } from "fastify";
import { WEBHOOK_ROUTES as rows } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import { mountHooks } from "./hooks/mount.ts";
import type { WebhooksSurfaceDeps } from "./index.ts";
import { createWebhook } from "./operations/create-webhook.ts";
import { deleteWebhook } from "./operations/delete-webhook.ts";
import { getWebhook } from "./operations/get-webhook.ts";
import { getWebhookEvent } from "./operations/get-webhook-event.ts";
import { getWebhookEventBody } from "./operations/get-webhook-event-body.ts";
import { listWebhookEvents } from "./operations/list-webhook-events.ts";
import { listWebhookRejections } from "./operations/list-webhook-rejections.ts";
import { listWebhooks } from "./operations/list-webhooks.ts";
import { pollWebhookEvents } from "./operations/poll-webhook-events.ts";
import { revealWebhookUrl } from "./operations/reveal-webhook-url.ts";
import { rotateWebhookSecret } from "./operations/rotate-webhook-secret.ts";
import { rotateWebhookUrl } from "./operations/rotate-webhook-url.ts";
import { streamWebhookEvents } from "./operations/stream-webhook-events.ts";
import { updateWebhook } from "./operations/update-webhook.ts";

/** Row → operation. The permission of each stands in the contract's row; what senders speak to has none. */
export function mountWebhooks(app: FastifyInstance, deps: WebhooksSurfaceDeps): void {
  // In a context of its own: what reads its bodies and renders its errors stays with it.
  void app.register(async (scope) => mountHooks(scope, deps));
  const { host } = deps;
  mountRoute(app, host, rows.listWebhooks, listWebhooks(deps));
  mountRoute(app, host, rows.createWebhook, createWebhook(deps));
  mountRoute(app, host, rows.getWebhook, getWebhook(deps));
  mountRoute(app, host, rows.updateWebhook, updateWebhook(deps));
  mountRoute(app, host, rows.deleteWebhook, deleteWebhook(deps));
  mountRoute(app, host, rows.rotateWebhookUrl, rotateWebhookUrl(deps));
  mountRoute(app, host, rows.revealWebhookUrl, revealWebhookUrl(deps));
  mountRoute(app, host, rows.rotateWebhookSecret, rotateWebhookSecret(deps));
  mountRoute(app, host, rows.listWebhookRejections, listWebhookRejections(deps));
  mountRoute(app, host, rows.listWebhookEvents, listWebhookEvents(deps));
  mountRoute(app, host, rows.getWebhookEvent, getWebhookEvent(deps));
  mountRoute(app, host, rows.getWebhookEventBody, getWebhookEventBody(deps));
  mountRoute(app, host, rows.pollWebhookEvents, pollWebhookEvents(deps));
  mountRoute(app, host, rows.streamWebhookEvents, streamWebhookEvents(deps));
}
