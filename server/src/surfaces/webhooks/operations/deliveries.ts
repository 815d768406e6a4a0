import { listDeliveries, replayTo } from "#domain/delivery/index.ts";
import { callerOf } from "#http/index.ts";
import type { WebhookOperation } from "../deps.ts";
import { deliveryBody } from "../model-destinations.ts";
import { timesOf } from "../model.ts";
import { destinationFor } from "../resources.ts";

export const listWebhookDeliveries: WebhookOperation<"listWebhookDeliveries"> = async (
  deps,
  { params, query },
  { principal },
) => {
  const { destination } = await destinationFor(deps, principal, params, "webhooks:read");
  const { status: state, cursor, limit = 50 } = query;
  const page = await listDeliveries(deps, destination.id, { state, cursor, limit });
  return { items: page.items.map(deliveryBody), next_cursor: page.nextCursor };
};

export const replayWebhookDeliveries: WebhookOperation<"replayWebhookDeliveries"> = async (
  deps,
  { params, body },
  context,
) => {
  const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
  const { from, to } = body;
  const isTime = from !== undefined || to !== undefined;
  const { fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = timesOf({ from, to }, "invalid_body");
  const what = isTime ? { fromMs, toMs } : ({ dead: true } as const);
  return { count: await replayTo(deps, callerOf(context), destination, what) };
};
