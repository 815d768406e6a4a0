import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { listDestinations } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { destinationBody } from "../model-destinations.ts";
import { webhookFor } from "../resources.ts";

export function listWebhookDestinations(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.listWebhookDestinations> {
  return async ({ params }, { principal }) => {
    const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
    const rows = await listDestinations(deps, webhook.id);
    return { items: rows.map((row) => destinationBody(row, webhook, principal)) };
  };
}
