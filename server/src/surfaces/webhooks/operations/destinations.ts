import type { WEBHOOK_ROUTES } from "@mooring/contract";
import {
  createDestination,
  deleteDestination,
  listDestinations,
  rotateDestinationSecret,
  updateDestination,
  type DestinationRow,
} from "#domain/delivery/index.ts";
import { answering } from "#domain/idempotency/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../deps.ts";
import { destinationBody, versionedDestination } from "../model-destinations.ts";
import { isoOrNull } from "../model.ts";
import { destinationFor, webhookFor } from "../resources.ts";

export function listWebhookDestinations(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.listWebhookDestinations> {
  return async ({ params }, { principal }) => {
    const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
    const rows = await listDestinations(deps, webhook.id);
    return { items: rows.map((row) => destinationBody(row, webhook, principal)) };
  };
}

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

export function getWebhookDestination(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.getWebhookDestination> {
  return async ({ params }, context) => {
    const { webhook, destination } = await destinationFor(deps, context.principal, params, "webhooks:read");
    return versionedDestination(context, destination, webhook);
  };
}

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

export function deleteWebhookDestination(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.deleteWebhookDestination> {
  return async ({ params }, context) => {
    const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
    await deleteDestination(deps, callerOf(context), destination);
    return undefined;
  };
}

const OVERLAP_S = 86_400;

export function rotateWebhookDestinationSecret(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.rotateWebhookDestinationSecret> {
  return async ({ params, body }, context) => {
    const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
    const overlapMs = (body.overlap_s ?? OVERLAP_S) * 1000;
    return answering(
      ({ secret, formerUntilMs }: { secret: string; formerUntilMs: number | null }) => ({
        secret,
        former_secret_until: isoOrNull(formerUntilMs),
      }),
      () => rotateDestinationSecret(deps, callerOf(context), destination, overlapMs),
    );
  };
}
