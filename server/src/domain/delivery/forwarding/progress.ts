import { appendAudit } from "#domain/audit/index.ts";
import type { EventRow, WebhooksDeps } from "#domain/webhooks/index.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { afterAttempt, WAIT_MS_MAX, type Attempted, type Sent } from "../attempts.ts";
import { destinationSettings, newDelivery, type DeliveryRow, type DestinationRow } from "./model.ts";
import { addDelivered, insertDeliveries, setDelivery, setDestination } from "./store.ts";

/** A destination that accepted nothing for this time is stopped. */
const STOP_AFTER_MS = 24 * 60 * 60 * 1000;
/** The longest wait between attempts if events are sent in order. It is shorter, because all later events wait. */
const ORDERED_WAIT_MS_MAX = 15 * 60 * 1000;

type Deps = Pick<WebhooksDeps, "metadata" | "clock"> & { readonly random: () => number };

/** The results of a run so far. The transaction that ends the run writes them. */
export class Progress {
  readonly #deps: Deps;
  readonly #destination: DestinationRow;
  readonly #tried: { id: string; set: Partial<DeliveryRow> }[] = [];
  readonly #failed: DeliveryRow[] = [];
  position: number;
  failures: number;
  /** The reason why the destination is stopped from now on. */
  stopped: string | null = null;
  #failingSince: number | null;
  #delivered = 0;
  #last: Sent | undefined;

  constructor(deps: Deps, destination: DestinationRow) {
    this.#deps = deps;
    this.#destination = destination;
    this.position = destination.position;
    this.failures = destination.failures;
    this.#failingSince = destination.failing_since;
  }

  /** Adds the result of an event that was sent for the first time. */
  first(event: EventRow, sent: Sent): void {
    this.#note(sent);
    if (!sent.delivered)
      this.#failed.push({ ...newDelivery(this.#deps, this.#destination, event), ...this.#after(sent, 0) });
  }

  /** Adds the result of an event that failed before, or that is sent again. */
  again(delivery: DeliveryRow, sent: Sent): void {
    this.#note(sent);
    this.#tried.push({ id: delivery.id, set: this.#after(sent, delivery.attempts) });
  }

  /** Adds a delivery whose event was deleted. */
  lost(delivery: DeliveryRow): void {
    const set = { state: "dead", next_attempt_at: null, last_error: "the event is past its retention" } as const;
    this.#tried.push({ id: delivery.id, set });
  }

  async write(tx: Writer): Promise<void> {
    const { id } = this.#destination;
    const nowMs = this.#deps.clock.nowMs();
    await insertDeliveries(tx, this.#failed);
    for (const each of this.#tried) await setDelivery(tx, each.id, each.set);
    if (this.#delivered > 0) await addDelivered(tx, id, this.#delivered);
    const last = this.#last;
    await setDestination(tx, id, {
      position: this.position,
      failures: this.failures,
      failing_since: this.#failingSince,
      ...(last === undefined ? {} : { last_attempt_at: nowMs, last_status: last.status, last_error: last.error }),
      ...(this.stopped === null ? {} : { state: "stopped", reason: this.stopped }),
    });
    if (this.stopped !== null) await this.#notice(tx, this.stopped);
  }

  #note(sent: Sent): void {
    const nowMs = this.#deps.clock.nowMs();
    this.#last = sent;
    if (sent.delivered) {
      this.failures = 0;
      this.#failingSince = null;
      this.#delivered += 1;
      return;
    }
    this.failures += 1;
    this.#failingSince ??= nowMs;
    // Standard Webhooks, "Operational considerations": a sender disables a destination that answers 410.
    if (sent.gone) this.stopped = "it answered 410: it was removed";
    else if (nowMs - this.#failingSince >= STOP_AFTER_MS) this.stopped = "it has accepted nothing for a day";
  }

  #after(sent: Sent, attempts: number): Attempted {
    const { clock, random } = this.#deps;
    const waitMsMax = destinationSettings(this.#destination).ordered ? ORDERED_WAIT_MS_MAX : WAIT_MS_MAX;
    return afterAttempt(sent, attempts, { nowMs: clock.nowMs(), random, waitMsMax });
  }

  /** Writes the stop of the destination to the audit log. */
  async #notice(tx: Writer, reason: string): Promise<void> {
    const { id, org_id: orgId, webhook_id: webhook, name } = this.#destination;
    const detail = { webhook, name, reason };
    await appendAudit(this.#deps, tx, {
      orgId,
      actor: { kind: "system", id: null },
      action: "webhook.destination.stop",
      target: { kind: "webhook_destination", id },
      result: "success",
      detail,
    });
  }
}
