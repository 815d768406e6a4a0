import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { deleteWebhook as remove } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { callerOf, webhookFor } from "../resources.ts";

export function deleteWebhook(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.deleteWebhook> {
  return async ({ params }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    await remove(deps, callerOf(context), webhook);
    deps.receiver.forget();
    return undefined;
  };
}
