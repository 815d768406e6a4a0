import type { WEBHOOK_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { versioned } from "../model.ts";
import { webhookFor } from "../resources.ts";

export function getWebhook(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.getWebhook> {
  return async ({ params }, context) =>
    versioned(deps, context, await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read"));
}
