import { acknowledge, claim, createConsumer, deleteConsumer, listConsumers, seqOf } from "#domain/webhooks/index.ts";
import { callerOf } from "#http/index.ts";
import type { WebhookOperation } from "../deps.ts";
import { consumerBody } from "../model-destinations.ts";
import { answerEvents, isoOrNull, listedEvent } from "../model.ts";
import { webhookFor } from "../resources.ts";

export const listWebhookConsumers: WebhookOperation<"listWebhookConsumers"> = async (
  deps,
  { params },
  { principal },
) => {
  const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
  return { items: (await listConsumers(deps, webhook.id)).map(consumerBody) };
};

export const createWebhookConsumer: WebhookOperation<"createWebhookConsumer"> = async (
  deps,
  { params, body },
  context,
) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  const { name, from = "now" } = body;
  return consumerBody(await createConsumer(deps, callerOf(context), webhook, { name, from }));
};

export const deleteWebhookConsumer: WebhookOperation<"deleteWebhookConsumer"> = async (deps, { params }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
  await deleteConsumer(deps, callerOf(context), webhook, params.consumer);
  return undefined;
};

export const claimWebhookEvents: WebhookOperation<"claimWebhookEvents"> = async (deps, { params, body }, context) => {
  const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:read");
  const { limit = 50, lease_s: leaseS = 60, wait_s: waitS = 0 } = body;
  const options = { limit, leaseMs: leaseS * 1000, waitMs: waitS * 1000, signal: context.signal };
  const { leaseId, untilMs, events } = await claim(deps, webhook, params.consumer, options);
  const lease = { lease_id: leaseId, leased_until: isoOrNull(untilMs) };
  return answerEvents(context, { ...lease, items: events.map(listedEvent) });
};

export const acknowledgeWebhookEvents: WebhookOperation<"acknowledgeWebhookEvents"> = async (
  deps,
  { params, body },
  { principal },
) => {
  const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
  const throughSeq = body.cursor === undefined ? undefined : seqOf(body.cursor, "cursor", "invalid_body");
  const options = { leaseId: body.lease_id, throughSeq, release: body.release === true };
  return consumerBody(await acknowledge(deps, webhook, params.consumer, options));
};
