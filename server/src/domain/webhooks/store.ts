import { withinProjects, withProject, type Reach } from "#domain/projects/index.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import type { UrlRow, Webhook, WebhookRow } from "./types.ts";

function live(db: Reader) {
  return withProject(db.selectFrom("webhook").selectAll("webhook"), "webhook.project_id").where(
    "webhook.deleted_at",
    "is",
    null,
  );
}

export async function webhookById(db: Reader, orgId: string, id: string): Promise<Webhook | undefined> {
  return live(db).where("webhook.org_id", "=", orgId).where("webhook.id", "=", id).executeTakeFirst();
}

/** Lists the webhooks within reach, of one project or all, newest first. */
export async function webhookRows(
  db: Reader,
  orgId: string,
  reach: Reach,
  page: { projectId: string | undefined; beforeId: string | undefined; limit: number },
): Promise<Webhook[]> {
  return live(db)
    .where("webhook.org_id", "=", orgId)
    .where(withinProjects(reach, "project.id", "webhook.id"))
    .$if(page.projectId !== undefined, (query) => query.where("webhook.project_id", "=", page.projectId ?? ""))
    .$if(page.beforeId !== undefined, (query) => query.where("webhook.id", "<", page.beforeId ?? ""))
    .orderBy("webhook.id", "desc")
    .limit(page.limit)
    .execute();
}

export async function insertWebhook(tx: Writer, row: WebhookRow): Promise<void> {
  await tx.insertInto("webhook").values(row).execute();
}

export async function setWebhook(tx: Writer, id: string, set: Partial<WebhookRow>): Promise<void> {
  await tx.updateTable("webhook").set(set).where("id", "=", id).execute();
}

/** Takes a webhook out of the trash. */
export async function restoreWebhookRow(tx: Writer, id: string, nowMs: number): Promise<void> {
  await tx
    .updateTable("webhook")
    .set((eb) => ({ deleted_at: null, updated_at: nowMs, revision: eb("revision", "+", 1) }))
    .where("id", "=", id)
    .execute();
}

export async function insertUrl(tx: Writer, row: UrlRow): Promise<void> {
  await tx.insertInto("webhook_url").values(row).execute();
}

/** Reads addresses, newest first. */
export async function urlsOf(db: Reader, webhookIds: readonly string[]): Promise<UrlRow[]> {
  if (webhookIds.length === 0) return [];
  return db
    .selectFrom("webhook_url")
    .selectAll()
    .where("webhook_id", "in", [...webhookIds])
    .orderBy("id", "desc")
    .execute();
}

/** Sets the time when the current address expires, and resets its hits. */
export async function retireUrl(tx: Writer, webhookId: string, atMs: number): Promise<void> {
  await tx
    .updateTable("webhook_url")
    .set({ expires_at: atMs, hits: 0, last_hit_at: null, token: null })
    .where("webhook_id", "=", webhookId)
    .where("expires_at", "is", null)
    .execute();
}

/** Expires all former addresses now. */
export async function retireFormerUrls(tx: Writer, webhookId: string, atMs: number): Promise<void> {
  await tx
    .updateTable("webhook_url")
    .set({ expires_at: atMs })
    .where("webhook_id", "=", webhookId)
    .where("expires_at", ">", atMs)
    .execute();
}

/** Deletes old former addresses except the newest, so that hits on these can still be seen. */
export async function forgetOldUrls(tx: Writer, webhookId: string, kept: number): Promise<void> {
  const old = await tx
    .selectFrom("webhook_url")
    .select("id")
    .where("webhook_id", "=", webhookId)
    .where("expires_at", "is not", null)
    .orderBy("id", "desc")
    .offset(kept)
    .limit(100)
    .execute();
  if (old.length === 0) return;
  const ids = old.map(({ id }) => id);
  await tx.deleteFrom("webhook_url").where("id", "in", ids).execute();
}

export interface Addressed {
  readonly webhook: Webhook;
  readonly url: UrlRow;
}

/** Finds the webhook of a current or former address; undefined when there is none. */
export async function webhookByToken(db: Reader, tokenHashes: readonly string[]): Promise<Addressed | undefined> {
  let url: UrlRow | undefined;
  for (const hash of tokenHashes)
    url ??= await db.selectFrom("webhook_url").selectAll().where("token_hash", "=", hash).executeTakeFirst();
  if (url === undefined) return undefined;
  const webhook = await live(db).where("webhook.id", "=", url.webhook_id).executeTakeFirst();
  return webhook === undefined ? undefined : { webhook, url };
}

/** Replaces the hash of an address by its hash under the current key. */
export async function renewTokenHash(
  tx: Writer,
  url: Pick<UrlRow, "id" | "token_hash">,
  columns: Pick<UrlRow, "token_hash" | "hash_key">,
): Promise<void> {
  await tx
    .updateTable("webhook_url")
    .set(columns)
    .where("id", "=", url.id)
    .where("token_hash", "=", url.token_hash)
    .execute();
}

export async function addHits(tx: Writer, urlId: string, hits: number, atMs: number): Promise<void> {
  await tx
    .updateTable("webhook_url")
    .set((eb) => ({ hits: eb("hits", "+", hits), last_hit_at: atMs }))
    .where("id", "=", urlId)
    .execute();
}
