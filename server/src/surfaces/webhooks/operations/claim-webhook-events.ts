import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { claim } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { answerEvents, isoOrNull, listedEvent } from "../model.ts";
import { webhookFor } from "../resources.ts";

export function claimWebhookEvents(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.claimWebhookEvents> {
  return async ({ params, body }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read");
    const { limit = 50, lease_s: leaseS = 60, wait_s: waitS = 0 } = body;
    const options = { limit, leaseMs: leaseS * 1000, waitMs: waitS * 1000, signal: context.signal };
    const { leaseId, untilMs, events } = await claim(deps, webhook, params.consumer, options);
    const lease = { lease_id: leaseId, leased_until: isoOrNull(untilMs) };
    return answerEvents(context, { ...lease, items: events.map(listedEvent) });
  };
}
