import type { WEBHOOK_ROUTES } from "@mooring/contract";
import { acknowledge, claim, createConsumer, deleteConsumer, listConsumers, seqOf } from "#domain/webhooks/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import type { WebhooksSurfaceDeps } from "../deps.ts";
import { consumerBody } from "../model-destinations.ts";
import { answerEvents, isoOrNull, listedEvent } from "../model.ts";
import { webhookFor } from "../resources.ts";

export function listWebhookConsumers(deps: WebhooksSurfaceDeps): Operation<typeof WEBHOOK_ROUTES.listWebhookConsumers> {
  return async ({ params }, { principal }) => {
    const webhook = await webhookFor(deps, principal, params.webhook_id, "webhooks:read");
    return { items: (await listConsumers(deps, webhook.id)).map(consumerBody) };
  };
}

export function createWebhookConsumer(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.createWebhookConsumer> {
  return async ({ params, body }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    const { name, from = "now" } = body;
    return consumerBody(await createConsumer(deps, callerOf(context), webhook, { name, from }));
  };
}

export function deleteWebhookConsumer(
  deps: WebhooksSurfaceDeps,
): Operation<typeof WEBHOOK_ROUTES.deleteWebhookConsumer> {
  return async ({ params }, context) => {
    const webhook = await webhookFor(deps, context.principal, params.webhook_id, "webhooks:write");
    await deleteConsumer(deps, callerOf(context), webhook, params.consumer);
    return undefined;
  };
}

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
