import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { updateDestination } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { versionedDestination } from "../model-destinations.ts";
import { callerOf, destinationFor } from "../resources.ts";

export function updateWebhookDestination(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.updateWebhookDestination> {
  return async ({ params, body }, context) => {
    const { webhook, destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
    const options = { change: body, ifMatch: context.request.headers["if-match"] };
    const changed = await updateDestination(deps, callerOf(context), destination, options);
    return versionedDestination(context, changed, webhook);
  };
}
