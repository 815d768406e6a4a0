import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { createWebhook as create } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { hookUrl, webhookBody } from "../model.ts";
import { callerOf, projectFor } from "../resources.ts";

export function createWebhook(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.createWebhook> {
  return async ({ body }, context) => {
    const { project: idOrSlug, ...input } = body;
    const project = await projectFor(deps, context.principal, idOrSlug, "webhooks:write");
    const { webhook, token, secret } = await create(deps, callerOf(context), project, input);
    return { ...(await webhookBody(deps, webhook)), webhook_url: hookUrl(deps, token), secret };
  };
}
