import { bodyOf, type EventRow } from "#domain/webhooks/index.ts";
import { sendMessage, type Sent } from "../attempts.ts";
import type { DestinationRow, ForwardingDeps } from "./model.ts";

type Deps = Pick<ForwardingDeps, "metadata" | "objects" | "clock" | "outbound">;

/**
 * Sends the bytes of an event as they arrived, with our signature (Standard Webhooks). The id is the event's, so that a
 * receiver can ignore duplicates.
 */
export async function sendEvent(
  deps: Deps,
  destination: DestinationRow,
  event: EventRow,
  { secrets, signal }: { readonly secrets: readonly string[]; readonly signal: AbortSignal },
): Promise<Sent> {
  const body = await bodyOf(deps, event);
  const headers = {
    "content-type": event.content_type ?? "application/octet-stream",
    "mooring-webhook-id": event.webhook_id,
    ...(event.type !== null && /^[\x20-\x7e]+$/.test(event.type) ? { "mooring-event-type": event.type } : {}),
  };
  const nowMs = deps.clock.nowMs();
  return sendMessage(deps.outbound, { url: destination.url, id: event.id, body, headers, secrets, nowMs, signal });
}
