import { absent } from "#domain/identity/index.ts";
import type { Caller } from "#domain/organizations/index.ts";
import type { EventRow } from "#domain/webhooks/index.ts";
import { WEBHOOK_REPLAY_EVENTS_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { audit, changeDestination, forwardSoon, type Deps, type Key } from "./destinations.ts";
import { newDelivery, type DestinationRow } from "./model.ts";
import { destinationRows, eventsOfTime, insertDeliveries, reviveDead } from "./store.ts";

/** The events to send again: dead ones, or those of a range of time. */
export type Replay = { readonly dead: true } | { readonly fromMs: number; readonly toMs: number };

/** Sends events again, and returns their number. @throws Problem `not_found`, `conflict` for too many events */
export async function replayTo(deps: Deps, caller: Caller, destination: Key, what: Replay): Promise<number> {
  return changeDestination(deps, destination, async (tx, row) => {
    const count = await ("dead" in what ? reviveDead(tx, row.id, deps.clock.nowMs()) : replayTime(deps, tx, row, what));
    await forwardSoon(deps, tx, row);
    const detail = "dead" in what ? { dead: true, count } : { from: what.fromMs, to: what.toMs, count };
    await audit(deps, tx, caller, { action: "webhook.destination.replay", row, detail });
    return count;
  });
}

/**
 * Sends one event again, to one destination or to all active ones.
 * @throws Problem `not_found`, `conflict` if there is no active destination
 */
export async function replayEvent(
  deps: Deps,
  caller: Caller,
  event: EventRow,
  destinationId: string | undefined,
): Promise<number> {
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `webhook:${event.org_id}`);
    const all = await destinationRows(tx, event.webhook_id);
    const chosen = all.filter((row) =>
      destinationId === undefined ? row.state === "active" : row.id === destinationId,
    );
    if (chosen.length === 0 && destinationId !== undefined) throw absent();
    if (chosen.length === 0) throw new Problem("conflict", "The webhook has no active destination; add one first.");
    for (const row of chosen) {
      await insertDeliveries(tx, [newDelivery(deps, row, event)]);
      await forwardSoon(deps, tx, row);
      await audit(deps, tx, caller, { action: "webhook.event.replay", row, detail: { event: event.id } });
    }
    return chosen.length;
  });
}

async function replayTime(
  deps: Deps,
  tx: Writer,
  row: DestinationRow,
  times: { readonly fromMs: number; readonly toMs: number },
): Promise<number> {
  const events = await eventsOfTime(tx, row.webhook_id, times, WEBHOOK_REPLAY_EVENTS_MAX + 1);
  if (events.length > WEBHOOK_REPLAY_EVENTS_MAX)
    throw new Problem(
      "conflict",
      `This replay has more than ${WEBHOOK_REPLAY_EVENTS_MAX} events. Choose a shorter range of time.`,
    );
  await insertDeliveries(
    tx,
    events.map((event) => newDelivery(deps, row, event)),
  );
  return events.length;
}
