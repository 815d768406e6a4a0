import { answering } from "#domain/idempotency/index.ts";
import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { createDestination, type DestinationRow } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { destinationBody } from "../model-destinations.ts";
import { callerOf, webhookFor } from "../resources.ts";

export function createWebhookDestination(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.createWebhookDestination> {
  return async ({ params, body }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    return answering(
      ({ destination, secret }: { destination: DestinationRow; secret: string }) => ({
        ...destinationBody(destination, webhook, context.principal),
        secret,
      }),
      () => createDestination(deps, callerOf(context), webhook, body),
    );
  };
}
