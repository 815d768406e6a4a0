import {
  createDestination,
  deleteDestination,
  listDestinations,
  rotateDestinationSecret,
  updateDestination,
  type DestinationRow,
} from "#domain/delivery/index.ts";
import { answering } from "#domain/idempotency/index.ts";
import { callerOf } from "#http/index.ts";
import type { WebhookOperation } from "../deps.ts";
import { destinationBody, versionedDestination } from "../model-destinations.ts";
import { isoOrNull } from "../model.ts";
import { destinationFor, webhookFor } from "../resources.ts";

export const listWebhookDestinations: WebhookOperation<"listWebhookDestinations"> = async (
  deps,
  { params },
  { principal },
) => {
  const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
  const rows = await listDestinations(deps, webhook.id);
  return { items: rows.map((row) => destinationBody(row, webhook, principal)) };
};

export const createWebhookDestination: WebhookOperation<"createWebhookDestination"> = async (
  deps,
  { params, body },
  context,
) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  return answering(
    ({ destination, secret }: { destination: DestinationRow; secret: string }) => ({
      ...destinationBody(destination, webhook, context.principal),
      secret,
    }),
    () => createDestination(deps, callerOf(context), webhook, body),
  );
};

export const getWebhookDestination: WebhookOperation<"getWebhookDestination"> = async (deps, { params }, context) => {
  const { webhook, destination } = await destinationFor(deps, context.principal, params, "webhooks:read");
  return versionedDestination(context, destination, webhook);
};

export const updateWebhookDestination: WebhookOperation<"updateWebhookDestination"> = async (
  deps,
  { params, body },
  context,
) => {
  const { webhook, destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
  const options = { change: body, ifMatch: context.request.headers["if-match"] };
  const changed = await updateDestination(deps, callerOf(context), destination, options);
  return versionedDestination(context, changed, webhook);
};

export const deleteWebhookDestination: WebhookOperation<"deleteWebhookDestination"> = async (
  deps,
  { params },
  context,
) => {
  const { destination } = await destinationFor(deps, context.principal, params, "webhooks:write");
  await deleteDestination(deps, callerOf(context), destination);
  return undefined;
};

const OVERLAP_S = 86_400;

export const rotateWebhookDestinationSecret: WebhookOperation<"rotateWebhookDestinationSecret"> = async (
  deps,
  { params, body },
  context,
) => {
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
