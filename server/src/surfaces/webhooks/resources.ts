import type { Scope } from "@mooring/contract";
import { findDestination, type DestinationRow } from "#domain/delivery/index.ts";
import { type Principal, type Resource, absent, requireSeen } from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { findEvent, findWebhook, type EventRow, type Webhook } from "#domain/webhooks/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

type Deps = { readonly metadata: MetadataStore };
type WebhookScope = Extract<Scope, "webhooks:read" | "webhooks:write">;

/** @throws Problem `not_found` (absent and hidden alike), `insufficient_scope` */
export async function webhookFor(
  deps: Deps,
  principal: Principal,
  id: string,
  permission: WebhookScope,
): Promise<Webhook> {
  const webhook = await findWebhook(deps, principal.orgId, id);
  if (webhook === undefined) throw absent();
  requireSeen(principal, permission, webhookResource(webhook));
  return webhook;
}

export function webhookResource(webhook: Webhook): Resource {
  return { ...resourceOf(webhook), item: { kind: "webhooks", id: webhook.id } };
}

/** Returns a destination and its webhook. @throws Problem as above */
export async function destinationFor(
  deps: Deps,
  principal: Principal,
  params: { readonly webhook_id: string; readonly destination_id: string },
  permission: WebhookScope,
): Promise<{ webhook: Webhook; destination: DestinationRow }> {
  const webhook = await webhookFor(deps, principal, params.webhook_id, permission);
  const destination = await findDestination(deps, webhook.id, params.destination_id);
  if (destination === undefined) throw absent();
  return { webhook, destination };
}

/** @throws Problem as above */
export async function eventFor(
  deps: Deps,
  principal: Principal,
  params: { readonly webhook_id: string; readonly event_id: string },
  permission: WebhookScope = "webhooks:read",
): Promise<EventRow> {
  const webhook = await webhookFor(deps, principal, params.webhook_id, permission);
  const event = await findEvent(deps, webhook.id, params.event_id);
  if (event === undefined) throw absent();
  return event;
}
