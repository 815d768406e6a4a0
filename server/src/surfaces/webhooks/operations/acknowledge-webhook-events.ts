import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { acknowledge, seqOf } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { consumerBody } from "../model-destinations.ts";
import { webhookFor } from "../resources.ts";

export function acknowledgeWebhookEvents(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.acknowledgeWebhookEvents> {
  return async ({ params, body }, { principal }) => {
    const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
    const throughSeq = body.cursor === undefined ? undefined : seqOf(body.cursor, "cursor", "invalid_body");
    const options = { leaseId: body.lease_id, throughSeq, release: body.release === true };
    return consumerBody(await acknowledge(deps, webhook, params.consumer, options));
  };
}
