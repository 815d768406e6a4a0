import {
  inTimeRange,
  literal,
  type MetadataStore,
  type Reader,
  type Tables,
  type TimePlace,
  type Writer,
} from "#stores/metadata/index.ts";
import type { EventRow, RejectionRow } from "./types.ts";

/**
 * Reserves numbers for this many events, and returns the first. The row stays locked until the end of the transaction,
 * so numbers rise in the order of the commits on all nodes. A reader that has seen one number has seen all smaller
 * ones.
 */
export async function takeNumbers(tx: Writer, dialect: MetadataStore["dialect"], count: number): Promise<number> {
  const update = tx
    .updateTable("webhook_head")
    .set((eb) => ({ seq: eb("seq", "+", count) }))
    .where("id", "=", "events");
  if (dialect === "postgres") {
    const { seq } = await update.returning("seq").executeTakeFirstOrThrow();
    return seq - count + 1;
  }
  // Only one process writes, and one group after another, so the number is still the same in the transaction.
  const [head] = await tx.readAhead(tx.selectFrom("webhook_head").select("seq").where("id", "=", "events"));
  if (head === undefined) throw new Error("cannot number events: the head is missing");
  tx.defer(update);
  return head.seq + 1;
}

/** Finds events of a webhook by the names from their senders, received since a time. */
export async function knownEvents(
  tx: Writer,
  webhookId: string,
  keys: readonly string[],
  sinceMs: number,
): Promise<{ id: string; dedup_key: string | null }[]> {
  return tx.readAhead(
    tx
      .selectFrom("webhook_event")
      .select(["id", "dedup_key"])
      .where("webhook_id", "=", webhookId)
      .where("dedup_key", "in", [...keys])
      .where("received_at", ">=", sinceMs)
      .orderBy("seq"),
  );
}

export function countDuplicates(tx: Writer, id: string, more: number): void {
  tx.defer(
    tx
      .updateTable("webhook_event")
      .set((eb) => ({ duplicates: eb("duplicates", "+", more) }))
      .where("id", "=", id),
  );
}

export function insertBody(tx: Writer, row: Tables["webhook_body"]): void {
  tx.defer(tx.insertInto("webhook_body").values(row));
}

export async function bodyBlob(db: Reader, seq: number): Promise<string | undefined> {
  const row = await db.selectFrom("webhook_body").select("blob_id").where("seq", "=", seq).executeTakeFirst();
  return row?.blob_id;
}

export interface EventFilters {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly type?: string | undefined;
  /** `yes`: verified by any scheme. `no`: by none. Otherwise the scheme. */
  readonly verified?: string | undefined;
}

/** Reads events, newest first, by time and then number. `before`: only events after that position in the list. */
export async function eventsBefore(
  db: Reader,
  webhookId: string,
  before: TimePlace | undefined,
  { limit, filters }: { readonly limit: number; readonly filters: EventFilters },
): Promise<EventRow[]> {
  const { type, verified } = filters;
  return (
    db
      .selectFrom("webhook_event")
      .selectAll()
      .where("webhook_id", "=", webhookId)
      .$if(type !== undefined, (query) => query.where("type", "=", type ?? ""))
      // A literal condition, so that the partial index of verified events is used.
      .$if(verified === "yes", (query) => query.where("verified", "<>", literal("none")))
      .$if(verified !== undefined && verified !== "yes", (query) =>
        query.where("verified", "=", verified === "no" ? "none" : (verified ?? "")),
      )
      .where(inTimeRange({ time: "received_at", tie: "seq" }, filters, { before }))
      .orderBy("received_at", "desc")
      .orderBy("seq", "desc")
      .limit(limit)
      .execute()
  );
}

/** Reads events after a number, oldest first. `throughSeq`: only up to that number. */
export async function eventsAfter(
  db: Reader,
  webhookId: string,
  afterSeq: number,
  { limit, throughSeq }: { readonly limit: number; readonly throughSeq?: number },
): Promise<EventRow[]> {
  return db
    .selectFrom("webhook_event")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .where("seq", ">", afterSeq)
    .$if(throughSeq !== undefined, (query) => query.where("seq", "<=", throughSeq ?? 0))
    .orderBy("seq")
    .limit(limit)
    .execute();
}

export async function eventById(db: Reader, webhookId: string, id: string): Promise<EventRow | undefined> {
  const query = db.selectFrom("webhook_event").selectAll().where("id", "=", id).where("webhook_id", "=", webhookId);
  return query.executeTakeFirst();
}

export async function eventBySeq(db: Reader, webhookId: string, seq: number): Promise<EventRow | undefined> {
  const query = db.selectFrom("webhook_event").selectAll().where("seq", "=", seq).where("webhook_id", "=", webhookId);
  return query.executeTakeFirst();
}

/** Returns the number of a webhook's newest event; 0 when there is none. */
export async function newestSeq(db: Reader, webhookId: string): Promise<number> {
  const row = await db
    .selectFrom("webhook_event")
    .select("seq")
    .where("webhook_id", "=", webhookId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** Returns the webhooks of an organization that are deleted, or in the trash, whose events nobody reads. */
export async function deletedWebhooks(db: Reader, orgId: string): Promise<string[]> {
  const query = db.selectFrom("webhook").select("id").where("org_id", "=", orgId).where("deleted_at", "is not", null);
  return (await query.orderBy("id").execute()).map(({ id }) => id);
}

/** Reads the events of an organization after a number, oldest first. @param except the webhooks that are left out */
export async function eventsOfOrganization(
  db: Reader,
  orgId: string,
  {
    afterSeq,
    limit,
    except,
  }: { readonly afterSeq: number; readonly limit: number; readonly except: readonly string[] },
): Promise<EventRow[]> {
  return db
    .selectFrom("webhook_event")
    .selectAll()
    .where("org_id", "=", orgId)
    .where("seq", ">", afterSeq)
    .$if(except.length > 0, (query) => query.where("webhook_id", "not in", [...except]))
    .orderBy("seq")
    .limit(limit)
    .execute();
}

/** Counts the events of an organization after one number, up to and including another. */
export async function countEvents(
  db: Reader,
  orgId: string,
  { after, through, except }: { readonly after: number; readonly through: number; readonly except: readonly string[] },
): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_event")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("org_id", "=", orgId)
    .where("seq", ">", after)
    .where("seq", "<=", through)
    .$if(except.length > 0, (query) => query.where("webhook_id", "not in", [...except]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Inserts a rejection, and deletes the oldest ones above the limit. */
export async function insertRejection(tx: Writer, row: RejectionRow, kept: number): Promise<void> {
  await tx.insertInto("webhook_rejection").values(row).execute();
  const oldest = await tx
    .selectFrom("webhook_rejection")
    .select("id")
    .where("webhook_id", "=", row.webhook_id)
    .orderBy("id", "desc")
    .offset(kept)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  await tx
    .deleteFrom("webhook_rejection")
    .where("webhook_id", "=", row.webhook_id)
    .where("id", "<=", oldest.id)
    .execute();
}

export async function rejectionRows(
  db: Reader,
  webhookId: string,
  page: { beforeId: string | undefined; limit: number },
): Promise<RejectionRow[]> {
  return db
    .selectFrom("webhook_rejection")
    .selectAll()
    .where("webhook_id", "=", webhookId)
    .$if(page.beforeId !== undefined, (query) => query.where("id", "<", page.beforeId ?? ""))
    .orderBy("id", "desc")
    .limit(page.limit)
    .execute();
}
