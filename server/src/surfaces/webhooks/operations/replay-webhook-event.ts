import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { replayEvent } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { callerOf, eventFor } from "../resources.ts";

export function replayWebhookEvent(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.replayWebhookEvent> {
  return async ({ params, body }, context) => {
    const event = await eventFor(deps, context.principal, params, "webhooks:write");
    return { count: await replayEvent(deps, callerOf(context), event, body.destination_id) };
  };
}
