import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { deleteConsumer } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { callerOf, webhookFor } from "../resources.ts";

export function deleteWebhookConsumer(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.deleteWebhookConsumer> {
  return async ({ params }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    await deleteConsumer(deps, callerOf(context), webhook, params.consumer);
    return undefined;
  };
}
