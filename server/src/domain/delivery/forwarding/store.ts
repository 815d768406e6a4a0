import { joinProject } from "#domain/projects/index.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { FAILURES_MAX, FORWARD, type DeliveryRow, type DestinationRow } from "./model.ts";

export async function destinationById(db: Reader, webhookId: string, id: string): Promise<DestinationRow | undefined> {
  const query = db.selectFrom("webhook_destination").selectAll().where("id", "=", id);
  return query.where("webhook_id", "=", webhookId).executeTakeFirst();
}

/**
 * Returns the destination with the state of its webhook. Undefined also if the destination was changed after the run
 * began, because the change added its job again.
 */
export async function destinationForRun(
  db: Reader,
  { key, fence }: { readonly key: string; readonly fence: number },
): Promise<(DestinationRow & { deleted_at: number | null }) | undefined> {
  const rows = db
    .selectFrom("webhook_destination")
    .innerJoin("webhook", "webhook.id", "webhook_destination.webhook_id");
  return joinProject(rows, "webhook.project_id")
    .innerJoin("job", "job.key", "webhook_destination.id")
    .selectAll("webhook_destination")
    .select("webhook.deleted_at")
    .where("job.kind", "=", FORWARD)
    .where("job.key", "=", key)
    .where("job.fence", "=", fence)
    .executeTakeFirst();
}

/** Returns the destinations of a webhook, oldest first. */
export async function destinationRows(db: Reader, webhookId: string): Promise<DestinationRow[]> {
  const query = db.selectFrom("webhook_destination").selectAll().where("webhook_id", "=", webhookId);
  return query.orderBy("id").execute();
}

/** Returns the ids of active destinations, grouped by webhook. */
export async function activeDestinations(
  db: Reader,
  webhookIds: readonly string[],
): Promise<{ id: string; webhook_id: string }[]> {
  return db
    .selectFrom("webhook_destination")
    .select(["id", "webhook_id"])
    .where("webhook_id", "in", [...webhookIds])
    .where("state", "=", "active")
    .execute();
}

/**
 * Returns the ids of active destinations that have not yet handled all events. Sorted; only ids greater than `after`.
 */
export async function destinationsBehind(db: Reader, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("webhook_destination")
    .select("webhook_destination.id")
    .where("state", "=", "active")
    .where("webhook_destination.id", ">", after)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("webhook_event")
          .select("webhook_event.seq")
          .whereRef("webhook_event.webhook_id", "=", "webhook_destination.webhook_id")
          .whereRef("webhook_event.seq", ">", "webhook_destination.position"),
      ),
    )
    .orderBy("webhook_destination.id")
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function insertDestination(tx: Writer, row: DestinationRow): Promise<void> {
  await tx.insertInto("webhook_destination").values(row).execute();
}

export async function setDestination(tx: Writer, id: string, set: Partial<DestinationRow>): Promise<void> {
  await tx.updateTable("webhook_destination").set(set).where("id", "=", id).execute();
}

export async function addDelivered(tx: Writer, id: string, more: number): Promise<void> {
  await tx
    .updateTable("webhook_destination")
    .set((eb) => ({ delivered: eb("delivered", "+", more) }))
    .where("id", "=", id)
    .execute();
}

export async function deleteDestinationRows(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("webhook_delivery").where("destination_id", "=", id).execute();
  await tx.deleteFrom("webhook_destination").where("id", "=", id).execute();
}

export async function insertDeliveries(tx: Writer, rows: readonly DeliveryRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 200) {
    await tx
      .insertInto("webhook_delivery")
      .values(rows.slice(at, at + 200))
      .execute();
  }
}

export async function setDelivery(tx: Writer, id: string, set: Partial<DeliveryRow>): Promise<void> {
  await tx.updateTable("webhook_delivery").set(set).where("id", "=", id).execute();
}

/** Returns deliveries that are due, by their time. */
export async function dueDeliveries(
  db: Reader,
  destinationId: string,
  nowMs: number,
  limit: number,
): Promise<DeliveryRow[]> {
  return db
    .selectFrom("webhook_delivery")
    .selectAll()
    .where("destination_id", "=", destinationId)
    .where("state", "=", "pending")
    .where("next_attempt_at", "<=", nowMs)
    .orderBy("next_attempt_at")
    .orderBy("event_seq")
    .limit(limit)
    .execute();
}

/** Returns the pending delivery of the oldest event. */
export async function firstPending(db: Reader, destinationId: string): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom("webhook_delivery")
    .selectAll()
    .where("destination_id", "=", destinationId)
    .where("state", "=", "pending")
    .orderBy("event_seq")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

export async function nextAttemptAt(db: Reader, destinationId: string): Promise<number | null> {
  const row = await db
    .selectFrom("webhook_delivery")
    .select("next_attempt_at")
    .where("destination_id", "=", destinationId)
    .where("state", "=", "pending")
    .orderBy("next_attempt_at")
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at ?? null;
}

/** Returns deliveries, newest first. */
export async function deliveryRows(
  db: Reader,
  destinationId: string,
  page: { state: DeliveryRow["state"] | undefined; beforeId: string | undefined; limit: number },
): Promise<DeliveryRow[]> {
  return db
    .selectFrom("webhook_delivery")
    .selectAll()
    .where("destination_id", "=", destinationId)
    .$if(page.state !== undefined, (query) => query.where("state", "=", page.state ?? "pending"))
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}

/** Makes all dead deliveries pending again. Returns their number. */
export async function reviveDead(tx: Writer, destinationId: string, nowMs: number): Promise<number> {
  const rows = await tx
    .updateTable("webhook_delivery")
    .set({ state: "pending", attempts: 0, created_at: nowMs, next_attempt_at: nowMs })
    .where("destination_id", "=", destinationId)
    .where("state", "=", "dead")
    .returning("id")
    .execute();
  return rows.length;
}

/** Makes all pending deliveries due now. */
export async function hurryPending(tx: Writer, destinationId: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("webhook_delivery")
    .set({ next_attempt_at: nowMs })
    .where("destination_id", "=", destinationId)
    .where("state", "=", "pending")
    .execute();
}

/** Returns events of a range of time, oldest first, with the columns that a replay needs. */
export async function eventsOfTime(
  db: Reader,
  webhookId: string,
  times: { readonly fromMs: number; readonly toMs: number },
  limit: number,
): Promise<{ id: string; seq: number }[]> {
  return db
    .selectFrom("webhook_event")
    .select(["id", "seq"])
    .where("webhook_id", "=", webhookId)
    .where("received_at", ">=", times.fromMs)
    .where("received_at", "<", times.toMs)
    .orderBy("received_at")
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/**
 * Makes the job due at this time at the latest. Call it in the transaction that ends a run, so that no run has the job.
 */
export async function dueNoLater(tx: Writer, destinationId: string, atMs: number): Promise<void> {
  await tx
    .updateTable("job")
    .set({ due_at: atMs })
    .where("kind", "=", FORWARD)
    .where("key", "=", destinationId)
    .where("due_at", ">", atMs)
    .execute();
}

/** Counts the destinations that accept nothing: they still get events, or the server has stopped them. */
export async function countFailedDestinations(db: Reader): Promise<number> {
  const { n } = await db
    .selectFrom("webhook_destination")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .where((eb) => eb.or([eb("state", "=", "stopped"), eb("failures", ">=", FAILURES_MAX)]))
    .where("state", "!=", "paused")
    .executeTakeFirstOrThrow();
  return Number(n);
}
