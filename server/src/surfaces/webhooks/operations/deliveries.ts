import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { listDeliveries, replayTo } from "#domain/delivery/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../deps.ts";
import { deliveryBody } from "../model-destinations.ts";
import { timesOf } from "../model.ts";
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

export function replayWebhookDeliveries(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.replayWebhookDeliveries> {
  return async ({ params, body }, context) => {
    const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
    const { from, to } = body;
    const isTime = from !== undefined || to !== undefined;
    const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = timesOf({ from, to }, "invalid_body");
    const what = isTime ? { fromMs, toMs } : ({ dead: true } as const);
    return { count: await replayTo(deps, callerOf(context), destination, what) };
  };
}
