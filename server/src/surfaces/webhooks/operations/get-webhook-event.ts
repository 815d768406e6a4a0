import type { WEBHOOK_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { answerEvents, wholeEvent } from "../model.ts";
import { eventFor } from "../resources.ts";

export function getWebhookEvent(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.getWebhookEvent> {
  return async ({ params }, context) => {
    const event = await eventFor(deps, context.principal, params);
    return answerEvents(context, await wholeEvent(deps, event));
  };
}
