import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { listConsumers } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { consumerBody } from "../model-destinations.ts";
import { webhookFor } from "../resources.ts";

export function listWebhookConsumers(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.listWebhookConsumers> {
  return async ({ params }, { principal }) => {
    const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
    return { items: (await listConsumers(deps, webhook.id)).map(consumerBody) };
  };
}
