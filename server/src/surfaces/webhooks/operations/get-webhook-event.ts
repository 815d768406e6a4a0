import type { WEBHOOK_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { wholeEvent } from "../model.ts";
import { eventFor } from "../resources.ts";

export function getWebhookEvent(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.getWebhookEvent> {
  return async ({ params }, { principal }) => wholeEvent(deps, await eventFor(deps, principal, params));
}
