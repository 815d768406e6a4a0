import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { deleteDestination } from "#domain/webhooks/index.ts";
import type { Operation } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../index.ts";
import { callerOf, destinationFor } from "../resources.ts";

export function deleteWebhookDestination(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.deleteWebhookDestination> {
  return async ({ params }, context) => {
    const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
    await deleteDestination(deps, callerOf(context), destination);
    return undefined;
  };
}
