import { answering } from "#domain/idempotency/index.ts";
import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { createWebhook as create, type MadeWebhook } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { hookUrl, webhookBody } from "../model.ts";
import { callerOf, projectFor } from "../resources.ts";

export function createWebhook(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.createWebhook> {
  return async ({ body }, context) => {
    const { project: idOrSlug, ...input } = body;
    const project = await projectFor(deps, context.principal, idOrSlug, "webhooks:write");
    return answering(
      async ({ webhook, token, secret }: MadeWebhook, db) => ({
        ...(await webhookBody({ metadata: { ...deps.metadata, read: db } }, webhook)),
        webhook_url: hookUrl(deps, token),
        secret,
      }),
      () => create(deps, callerOf(context), project, input),
    );
  };
}
