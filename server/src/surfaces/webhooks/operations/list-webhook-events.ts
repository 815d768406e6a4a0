import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { listEvents } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { answerEvents, listedEvent, timesOf } from "../model.ts";
import { webhookFor } from "../resources.ts";

export function listWebhookEvents(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.listWebhookEvents> {
  return async ({ params, query }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read");
    const { from, to, type, header, pointer, q: text, verified, cursor, limit = 50 } = query;
    const search = { ...timesOf({ from, to }, "invalid_parameter"), type, header, pointer, text, verified };
    const page = await listEvents(deps, webhook.id, search, { cursor, limit });
    return answerEvents(context, { items: page.items.map(listedEvent), next_cursor: page.nextCursor });
  };
}
