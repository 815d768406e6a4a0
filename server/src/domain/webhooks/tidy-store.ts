import { ofAllowing } from "#domain/suspension/index.ts";
import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";

/** Reads webhooks with the retention of their events; `after`: only ids after this one. */
export async function webhooksToTidy(
  db: Reader,
  after: string,
  limit: number,
): Promise<{ id: string; org_id: string; deleted_at: number | null; days: number | null }[]> {
  const rows = await db
    .selectFrom("webhook")
    .leftJoin("webhook_policy", "webhook_policy.project_id", "webhook.project_id")
    .leftJoin("trash_item", "trash_item.object_id", "webhook.id")
    .select(["webhook.id", "webhook.org_id", "webhook.deleted_at", "webhook.retention_days"])
    .select(["webhook_policy.retention_days as policy_days", "trash_item.id as item"])
    .where("webhook.id", ">", after)
    .orderBy("webhook.id")
    .limit(limit)
    .execute();
  return rows.map(({ id, org_id, deleted_at, retention_days, policy_days, item }) => ({
    id,
    org_id,
    // Only retention applies to a webhook in the trash, because it can be restored.
    deleted_at: item === null ? deleted_at : null,
    days: retention_days ?? policy_days,
  }));
}

export interface OldEvent {
  readonly seq: number;
  readonly bytes: number;
}

/** Reads the oldest events of a webhook that were received before a time. "all": every event, of a deleted webhook. */
export async function oldEvents(
  db: Reader,
  webhookId: string,
  beforeMs: Cutoff | "all",
  limit: number,
): Promise<OldEvent[]> {
  const rows = await db
    .selectFrom("webhook_event")
    .select(["seq", "received_at", "size"])
    .select((eb) => eb.fn<number>("length", ["headers"]).as("head"))
    .where("webhook_id", "=", webhookId)
    .orderBy("seq")
    .limit(limit)
    .execute();
  // Events are ordered by number. This is also their order in time, unless a clock was set back.
  const old = rows.filter(({ received_at: at }) => beforeMs === "all" || at < beforeMs);
  return old.map(({ seq, size, head }) => ({ seq, bytes: size + Number(head) }));
}

/** Reads events of an organization by their ids. */
export async function eventsByIds(
  db: Reader,
  orgId: string,
  ids: readonly string[],
): Promise<(OldEvent & { readonly webhookId: string })[]> {
  const rows = await db
    .selectFrom("webhook_event")
    .select(["seq", "webhook_id", "size"])
    .select((eb) => eb.fn<number>("length", ["headers"]).as("head"))
    .where("org_id", "=", orgId)
    .where("id", "in", [...ids])
    .execute();
  return rows.map(({ seq, webhook_id, size, head }) => ({ seq, webhookId: webhook_id, bytes: size + Number(head) }));
}

/** Deletes events. Returns the blobs of large bodies, and the number of events that still existed. */
export async function deleteEvents(
  tx: Writer,
  webhookId: string,
  seqs: readonly number[],
): Promise<{ blobIds: string[]; count: number }> {
  const bodies = await tx
    .deleteFrom("webhook_body")
    .where("seq", "in", [...seqs])
    .returning("blob_id")
    .execute();
  await tx
    .deleteFrom("webhook_delivery")
    .where("webhook_id", "=", webhookId)
    .where("event_seq", "in", [...seqs])
    .where("state", "!=", "pending")
    .execute();
  const gone = await tx
    .deleteFrom("webhook_event")
    .where("seq", "in", [...seqs])
    .returning("seq")
    .execute();
  return { blobIds: bodies.map(({ blob_id }) => blob_id), count: gone.length };
}

export async function deleteRejections(tx: Writer, beforeMs: Cutoff): Promise<void> {
  await tx.deleteFrom("webhook_rejection").where("at", "<", beforeMs).where(ofAllowing("retain", "org_id")).execute();
}

/** Deletes the other rows of a deleted webhook that has no events left. */
export async function deleteWebhookRows(tx: Writer, id: string): Promise<void> {
  await tx.deleteFrom("webhook_delivery").where("webhook_id", "=", id).execute();
  await tx.deleteFrom("webhook_destination").where("webhook_id", "=", id).execute();
  await tx.deleteFrom("webhook_consumer").where("webhook_id", "=", id).execute();
  await tx.deleteFrom("webhook_rejection").where("webhook_id", "=", id).execute();
  await tx.deleteFrom("webhook_url").where("webhook_id", "=", id).execute();
  await tx.deleteFrom("webhook").where("id", "=", id).execute();
}

export async function projectDays(db: Reader, orgId: string, projectId: string): Promise<number | null> {
  const query = db.selectFrom("webhook_policy").select("retention_days").where("project_id", "=", projectId);
  return (await query.where("org_id", "=", orgId).executeTakeFirst())?.retention_days ?? null;
}

export async function setProjectDays(
  tx: Writer,
  row: { readonly orgId: string; readonly projectId: string; readonly days: number | null; readonly atMs: number },
): Promise<void> {
  const { orgId, projectId, days, atMs } = row;
  await tx
    .insertInto("webhook_policy")
    .values({ project_id: projectId, org_id: orgId, retention_days: days, updated_at: atMs })
    .onConflict((conflict) => conflict.column("project_id").doUpdateSet({ retention_days: days, updated_at: atMs }))
    .execute();
}
