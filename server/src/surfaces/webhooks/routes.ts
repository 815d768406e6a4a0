import type { FastifyInstance } from "fastify";
import { WEBHOOK_ROUTES } from "@mooring/contract";
import { mountRoutes } from "#http/index.ts";
import { mountHooks } from "./hooks.ts";
import type { WebhooksSurfaceDeps } from "./deps.ts";
import * as webhooks from "./operations/webhooks.ts";
import * as events from "./operations/events.ts";
import * as destinations from "./operations/destinations.ts";
import * as deliveries from "./operations/deliveries.ts";
import * as consumers from "./operations/consumers.ts";
import * as settings from "./operations/settings.ts";

/** Every row of the contract, and the address for senders, which has no row. */
export function mountWebhooks(app: FastifyInstance, deps: WebhooksSurfaceDeps): void {
  // A separate context, so that its body parsers and error format stay with it.
  void app.register(async (scope) => mountHooks(scope, deps));
  mountRoutes(app, deps, WEBHOOK_ROUTES, {
    ...webhooks,
    ...events,
    ...destinations,
    ...deliveries,
    ...consumers,
    ...settings,
  });
}
