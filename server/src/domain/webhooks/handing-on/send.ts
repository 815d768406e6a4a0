import { signatureFields } from "#kernel/webhook-signature.ts";
import { OutboundError } from "#stores/outbound/index.ts";
import { bodyOf } from "../events.ts";
import type { DeliveryDeps, EventRow } from "../types.ts";
import type { DestinationRow } from "./model.ts";

/** What came of one request. */
export interface Sent {
  readonly status: number | null;
  readonly error: string | null;
  readonly retryAfterMs: number | null;
  readonly delivered: boolean;
}

type Deps = Pick<DeliveryDeps, "metadata" | "objects" | "clock" | "outbound">;

/** Its bytes as they came, signed by us (Standard Webhooks). The id is the event's, so that a receiver can drop repetitions. */
export async function sendEvent(
  deps: Deps,
  destination: DestinationRow,
  event: EventRow,
  { secrets, signal }: { readonly secrets: readonly string[]; readonly signal: AbortSignal },
): Promise<Sent> {
  const nowMs = deps.clock.nowMs();
  const body = await bodyOf(deps, event);
  const message = { id: event.id, timestampS: Math.floor(nowMs / 1000), body };
  const headers = {
    "content-type": event.content_type ?? "application/octet-stream",
    ...signatureFields(message, secrets),
    "mooring-webhook-id": event.webhook_id,
    ...(event.type !== null && /^[\x20-\x7e]+$/.test(event.type) ? { "mooring-event-type": event.type } : {}),
  };
  try {
    const { status, retryAfterMs } = await deps.outbound.post({ url: destination.url, headers, body, signal });
    return { status, error: null, retryAfterMs, delivered: status >= 200 && status < 300 };
  } catch (error) {
    // One that the stop cut short counts as none: whoever takes the job over sends it.
    if (!(error instanceof OutboundError) || error.code === "cancelled") throw error;
    return { status: null, error: `${error.code}: ${error.message}`, retryAfterMs: null, delivered: false };
  }
}
