import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { updateWebhook as update } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { versioned } from "../model.ts";
import { callerOf, webhookFor } from "../resources.ts";

export function updateWebhook(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.updateWebhook> {
  return async ({ params, body }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    const options = { change: body, ifMatch: context.request.headers["if-match"] };
    const changed = await update(deps, callerOf(context), webhook, options);
    deps.receiver.forget();
    return versioned(deps, context, changed);
  };
}
