import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { replayTo } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import { msFromIso } from "#kernel/time.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { callerOf, destinationFor } from "../resources.ts";

export function replayWebhookDeliveries(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.replayWebhookDeliveries> {
  return async ({ params, body }, context) => {
    const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
    const { from, to } = body;
    const isTime = from !== undefined || to !== undefined;
    const fromMs = from === undefined ? 0 : msFromIso(from);
    const toMs = to === undefined ? Number.MAX_SAFE_INTEGER : msFromIso(to);
    const what = isTime ? { fromMs, toMs } : ({ dead: true } as const);
    return { count: await replayTo(deps, callerOf(context), destination, what) };
  };
}
