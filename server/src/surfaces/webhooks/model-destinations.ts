import type { ResultOf, WEBHOOK_ROUTES } from "@mooring/contract";
import {
  destinationSettings,
  destinationVersion,
  shownUrl,
  type DeliveryRow,
  type DestinationRow,
} from "#domain/delivery/index.ts";
import { holds, type Principal } from "#domain/identity/index.ts";
import { cursorOf, type ConsumerRow, type Webhook } from "#domain/webhooks/index.ts";
import type { OperationContext } from "#http/index.ts";
import { etagOf } from "#kernel/versions.ts";
import { isoFromMs } from "#kernel/time.ts";
import { isoOrNull } from "./model.ts";
import { webhookResource } from "./resources.ts";

type Rows = typeof WEBHOOK_ROUTES;
type DestinationBody = ResultOf<Rows["getWebhookDestination"]>;
type DeliveryBody = ResultOf<Rows["listWebhookDeliveries"]>["items"][number];
type ConsumerBody = ResultOf<Rows["createWebhookConsumer"]>;

export function destinationBody(row: DestinationRow, webhook: Webhook, principal: Principal): DestinationBody {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    name: row.name,
    url: shownUrl(row.url, holds(principal, "webhooks:write", webhookResource(webhook))),
    ...filterOf(row),
    state: row.state,
    reason: row.reason,
    delivered: row.delivered,
    failures: row.failures,
    failing_since: isoOrNull(row.failing_since),
    last_attempt_at: isoOrNull(row.last_attempt_at),
    last_status: row.last_status,
    last_error: row.last_error,
    created_by: row.created_by,
    created_at: isoFromMs(row.created_at),
    updated_at: isoFromMs(row.updated_at),
  };
}

function filterOf(row: DestinationRow): Pick<DestinationBody, "filter" | "ordered" | "rate_per_second"> {
  const { filter, ordered, rate_per_second } = destinationSettings(row);
  const { types, ...rest } = filter;
  return { filter: { ...rest, ...(types === undefined ? {} : { types: [...types] }) }, ordered, rate_per_second };
}

/** Returns the destination's body and sends its version, for `If-Match`. */
export function versionedDestination(
  context: OperationContext,
  row: DestinationRow,
  webhook: Webhook,
): DestinationBody {
  void context.reply.header("etag", etagOf(destinationVersion(row)));
  return destinationBody(row, webhook, context.principal);
}

export function deliveryBody(row: DeliveryRow): DeliveryBody {
  return {
    id: row.id,
    event_id: row.event_id,
    status: row.state,
    attempts: row.attempts,
    created_at: isoFromMs(row.created_at),
    last_attempt_at: isoOrNull(row.last_attempt_at),
    next_attempt_at: isoOrNull(row.next_attempt_at),
    response_status: row.last_status,
    error: row.last_error,
  };
}

export function consumerBody(row: ConsumerRow): ConsumerBody {
  return {
    name: row.name,
    cursor: cursorOf(row.position),
    leased_until: isoOrNull(row.lease_until),
    created_at: isoFromMs(row.created_at),
    updated_at: isoFromMs(row.updated_at),
  };
}
