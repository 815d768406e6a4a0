import type { WEBHOOK_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { versionedDestination } from "../model-destinations.ts";
import { destinationFor } from "../resources.ts";

export function getWebhookDestination(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.getWebhookDestination> {
  return async ({ params }, context) => {
    const { webhook, destination } = await destinationFor(deps, context.principal, params, "webhooks:read");
    return versionedDestination(context, destination, webhook);
  };
}
