import type { FastifyInstance } from "fastify";
import { WEBHOOK_ROUTES as rows } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import { mountHooks } from "./hooks.ts";
import type { WebhooksSurfaceDeps } from "./deps.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhookRejections,
  listWebhooks,
  revealWebhookUrl,
  rotateWebhookSecret,
  rotateWebhookUrl,
  updateWebhook,
} from "./operations/webhooks.ts";
import {
  getWebhookEvent,
  getWebhookEventBody,
  listWebhookEvents,
  pollWebhookEvents,
  replayWebhookEvent,
  streamWebhookEvents,
} from "./operations/events.ts";
import {
  createWebhookDestination,
  deleteWebhookDestination,
  getWebhookDestination,
  listWebhookDestinations,
  rotateWebhookDestinationSecret,
  updateWebhookDestination,
} from "./operations/destinations.ts";
import { listWebhookDeliveries, replayWebhookDeliveries } from "./operations/deliveries.ts";
import {
  acknowledgeWebhookEvents,
  claimWebhookEvents,
  createWebhookConsumer,
  deleteWebhookConsumer,
  listWebhookConsumers,
} from "./operations/consumers.ts";
import { getWebhookSettings, updateWebhookSettings } from "./operations/settings.ts";

/** Row → operation. The contract's row has the permission; the address for senders has no row. */
export function mountWebhooks(app: FastifyInstance, deps: WebhooksSurfaceDeps): void {
  // A separate context, so that its body parsers and error format stay with it.
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
  mountRoute(app, host, rows.createWebhookDestination, createWebhookDestination(deps));
  mountRoute(app, host, rows.listWebhookDestinations, listWebhookDestinations(deps));
  mountRoute(app, host, rows.getWebhookDestination, getWebhookDestination(deps));
  mountRoute(app, host, rows.updateWebhookDestination, updateWebhookDestination(deps));
  mountRoute(app, host, rows.deleteWebhookDestination, deleteWebhookDestination(deps));
  mountRoute(app, host, rows.rotateWebhookDestinationSecret, rotateWebhookDestinationSecret(deps));
  mountRoute(app, host, rows.listWebhookDeliveries, listWebhookDeliveries(deps));
  mountRoute(app, host, rows.replayWebhookDeliveries, replayWebhookDeliveries(deps));
  mountRoute(app, host, rows.replayWebhookEvent, replayWebhookEvent(deps));
  mountRoute(app, host, rows.listWebhookConsumers, listWebhookConsumers(deps));
  mountRoute(app, host, rows.createWebhookConsumer, createWebhookConsumer(deps));
  mountRoute(app, host, rows.deleteWebhookConsumer, deleteWebhookConsumer(deps));
  mountRoute(app, host, rows.claimWebhookEvents, claimWebhookEvents(deps));
  mountRoute(app, host, rows.acknowledgeWebhookEvents, acknowledgeWebhookEvents(deps));
  mountRoute(app, host, rows.getWebhookSettings, getWebhookSettings(deps));
  mountRoute(app, host, rows.updateWebhookSettings, updateWebhookSettings(deps));
}
