import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { listRejections } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { rejectionBody } from "../model.ts";
import { webhookFor } from "../resources.ts";

export function listWebhookRejections(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.listWebhookRejections> {
  return async ({ params, query }, { principal }) => {
    const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
    const page = await listRejections(deps, webhook.id, { cursor: query.cursor, limit: query.limit ?? 50 });
    return { items: page.items.map(rejectionBody), next_cursor: page.nextCursor };
  };
}
