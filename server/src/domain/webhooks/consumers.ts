import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { absent } from "#domain/identity/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import {
  consumerByName,
  consumerRows,
  deleteConsumerRow,
  insertConsumer,
  setConsumer,
  type ConsumerRow,
} from "./consumers-store.ts";
import { readEvents } from "./events.ts";
import { eventsAfter, newestSeq } from "./events-store.ts";
import type { EventFeed } from "./feed.ts";
import type { EventRow, Webhook, WebhooksDeps } from "./types.ts";

export type { ConsumerRow } from "./consumers-store.ts";

type Deps = Pick<WebhooksDeps, "metadata" | "clock">;
type Key = Pick<Webhook, "id" | "org_id">;

/** Events that a consumer has leased. Until the lease ends, nobody else gets them. */
export interface Leased {
  /** Null when there are no events. */
  readonly leaseId: string | null;
  readonly untilMs: number | null;
  readonly events: readonly EventRow[];
}

export async function listConsumers(deps: Pick<Deps, "metadata">, webhookId: string): Promise<ConsumerRow[]> {
  return consumerRows(deps.metadata.read, webhookId);
}

/**
 * Creates a consumer that begins with the oldest event, or with the next one.
 * @throws Problem `conflict` when the name is taken
 */
export async function createConsumer(
  deps: Deps,
  caller: Caller,
  webhook: Key,
  { name, from }: { readonly name: string; readonly from: "oldest" | "now" },
): Promise<ConsumerRow> {
  const nowMs = deps.clock.nowMs();
  return locked(deps, webhook, async (tx) => {
    const present = await consumerRows(tx, webhook.id);
    if (present.some((row) => row.name === name)) throw new Problem("conflict", "There is a consumer of this name.");
    await enforceRecordLimit(deps.metadata, tx, "webhook_consumers_max", webhook.id);
    const row: ConsumerRow = {
      webhook_id: webhook.id,
      name,
      org_id: webhook.org_id,
      position: from === "oldest" ? 0 : await newestSeq(tx, webhook.id),
      lease_id: null,
      lease_until: null,
      lease_position: null,
      created_at: nowMs,
      updated_at: nowMs,
    };
    await insertConsumer(tx, row);
    await audit(deps, tx, caller, { action: "webhook.consumer.create", webhook, name });
    return row;
  });
}

/** @throws Problem `not_found` */
export async function deleteConsumer(deps: Deps, caller: Caller, webhook: Key, name: string): Promise<void> {
  await locked(deps, webhook, async (tx) => {
    if (!(await deleteConsumerRow(tx, webhook.id, name))) throw absent();
    await audit(deps, tx, caller, { action: "webhook.consumer.delete", webhook, name });
  });
}

/**
 * Leases the next events to the caller. Waits for events when there are none.
 * @throws Problem `not_found`, `conflict` while another has the lease
 */
export async function claim(
  deps: Deps & { readonly feed: EventFeed },
  webhook: Key,
  name: string,
  options: { readonly limit: number; readonly leaseMs: number; readonly waitMs: number; readonly signal: AbortSignal },
): Promise<Leased> {
  const { limit, leaseMs, waitMs, signal } = options;
  const before = await consumerByName(deps.metadata.read, webhook.id, name);
  if (before === undefined) throw absent();
  await readEvents(deps, webhook.id, { afterSeq: before.position, limit: 1, waitMs, signal });
  return locked(deps, webhook, async (tx) => {
    const nowMs = deps.clock.nowMs();
    const row = await found(tx, webhook.id, name);
    if (row.lease_until !== null && row.lease_until > nowMs) throw taken(row.lease_until - nowMs);
    const events = await eventsAfter(tx, webhook.id, row.position, { limit });
    const last = events.at(-1);
    if (last === undefined) return { leaseId: null, untilMs: null, events };
    const leaseId = newId("lease", nowMs);
    const untilMs = nowMs + leaseMs;
    const lease = { lease_id: leaseId, lease_until: untilMs, lease_position: last.seq, updated_at: nowMs };
    await setConsumer(tx, row, lease);
    return { leaseId, untilMs, events };
  });
}

/**
 * Acknowledges all events of a lease, or those up to one of them. The others are sent again. With `release`,
 * acknowledges none.
 * @throws Problem `not_found`, `conflict` when the lease has ended and another may have the events
 */
export async function acknowledge(
  deps: Deps,
  webhook: Key,
  name: string,
  options: { readonly leaseId: string; readonly throughSeq: number | undefined; readonly release: boolean },
): Promise<ConsumerRow> {
  return locked(deps, webhook, async (tx) => {
    const row = await found(tx, webhook.id, name);
    if (row.lease_id !== options.leaseId) throw new Problem("conflict", "The lease has ended; claim the events again.");
    const through = Math.min(options.throughSeq ?? Number.MAX_SAFE_INTEGER, row.lease_position ?? row.position);
    const position = options.release ? row.position : Math.max(row.position, through);
    const set = { position, lease_id: null, lease_until: null, lease_position: null, updated_at: deps.clock.nowMs() };
    await setConsumer(tx, row, set);
    return { ...row, ...set };
  });
}

async function found(tx: Writer, webhookId: string, name: string): Promise<ConsumerRow> {
  const row = await consumerByName(tx, webhookId, name);
  if (row === undefined) throw absent();
  return row;
}

function locked<T>(deps: Pick<Deps, "metadata">, webhook: Key, work: (tx: Writer) => Promise<T>): Promise<T> {
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `webhook_consumer:${webhook.id}`);
    return work(tx);
  });
}

function taken(leftMs: number): Problem {
  const retryAfterS = Math.max(1, Math.ceil(leftMs / 1000));
  return new Problem("conflict", "Another caller has a lease on this consumer's events. Try again when it ends.", {
    retryAfterS,
  });
}

async function audit(
  deps: Deps,
  tx: Writer,
  caller: Caller,
  { action, webhook, name }: { action: string; webhook: Key; name: string },
): Promise<void> {
  const target = { kind: "webhook", id: webhook.id };
  await appendAudit(deps, tx, { ...auditOrigin(caller), orgId: webhook.org_id, action, target, detail: { name } });
}
