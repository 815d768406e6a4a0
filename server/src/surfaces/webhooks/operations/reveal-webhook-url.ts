import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { revealUrl } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { hookUrl } from "../model.ts";
import { callerOf, webhookFor } from "../resources.ts";

export function revealWebhookUrl(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.revealWebhookUrl> {
  return async ({ params }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    void context.reply.header("cache-control", "no-store");
    return { webhook_url: hookUrl(deps, await revealUrl(deps, callerOf(context), webhook)) };
  };
}
