import type { EventRow, EventsDeps } from "#domain/webhooks/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { Tables } from "#stores/metadata/index.ts";
import type { Outbound } from "#stores/outbound/index.ts";

export type DestinationRow = Tables["webhook_destination"];
export type DeliveryRow = Tables["webhook_delivery"];

export interface ForwardingDeps extends EventsDeps {
  readonly jobs: Jobs;
  readonly outbound: Outbound;
}

/** The events that a destination gets: those that match every given condition. */
export interface DestinationFilter {
  readonly types?: readonly string[];
  /** `Name` or `Name:value`. */
  readonly header?: string;
  /** A JSON pointer, or a pointer and `=value`. */
  readonly pointer?: string;
  /** Text that the body contains. */
  readonly text?: string;
}

export interface DestinationSettings {
  readonly filter: DestinationFilter;
  /** Send in the order of arrival: an event is sent after the previous one was delivered or is dead. */
  readonly ordered: boolean;
  /** Null: no limit. */
  readonly rate_per_second: number | null;
}

export const DEFAULT_DESTINATION: DestinationSettings = { filter: {}, ordered: false, rate_per_second: null };

export function destinationSettings(row: Pick<DestinationRow, "settings">): DestinationSettings {
  return JSON.parse(row.settings) as DestinationSettings;
}

/**
 * The kind of the job that forwards to one destination. Its key is the destination's id. Rows of older versions have
 * this name.
 */
export const FORWARD = "webhook.hand_on";
/** After this many consecutive failures, a destination gets one event at a time. */
export const FAILURES_MAX = 5;

export function newDelivery(
  { clock }: Pick<ForwardingDeps, "clock">,
  destination: Pick<DestinationRow, "id" | "webhook_id" | "org_id">,
  event: Pick<EventRow, "id" | "seq">,
): DeliveryRow {
  const at = clock.nowMs();
  return {
    id: newId("msg", at),
    org_id: destination.org_id,
    webhook_id: destination.webhook_id,
    destination_id: destination.id,
    event_id: event.id,
    event_seq: event.seq,
    state: "pending",
    attempts: 0,
    created_at: at,
    next_attempt_at: at,
    last_attempt_at: null,
    last_status: null,
    last_error: null,
  };
}
