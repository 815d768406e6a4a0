import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { listDeliveries } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { deliveryBody } from "../model-destinations.ts";
import { destinationFor } from "../resources.ts";

export function listWebhookDeliveries(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.listWebhookDeliveries> {
  return async ({ params, query }, { principal }) => {
    const { destination } = await destinationFor(deps, principal, params, "webhooks:read");
    const { status: state, cursor, limit = 50 } = query;
    const page = await listDeliveries(deps, destination.id, { state, cursor, limit });
    return { items: page.items.map(deliveryBody), next_cursor: page.nextCursor };
  };
}
