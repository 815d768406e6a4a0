import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { createConsumer } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { consumerBody } from "../model-destinations.ts";
import { callerOf, webhookFor } from "../resources.ts";

export function createWebhookConsumer(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.createWebhookConsumer> {
  return async ({ params, body }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    const { name, from = "now" } = body;
    return consumerBody(await createConsumer(deps, callerOf(context), webhook, { name, from }));
  };
}
