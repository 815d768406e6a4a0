import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { absent } from "#domain/identity/index.ts";
import { auditOrigin, type Caller, type Page, type PageQuery } from "#domain/organizations/index.ts";
import { newestSeq, type Webhook, type WebhooksDeps } from "#domain/webhooks/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { newId } from "#kernel/ids.ts";
import { newWebhookSecret } from "#kernel/webhook-signature.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { originOf, requireUrl } from "../addresses.ts";
import { rotatedSecret, sealSecret } from "../secrets.ts";
import {
  DEFAULT_DESTINATION,
  destinationSettings,
  FORWARD,
  type DeliveryRow,
  type DestinationFilter,
  type DestinationRow,
  type ForwardingDeps,
} from "./model.ts";
import {
  deleteDestinationRows,
  deliveryRows,
  destinationById,
  destinationRows,
  hurryPending,
  insertDestination,
  setDestination,
} from "./store.ts";

export interface DestinationInput {
  readonly name: string;
  readonly url: string;
  readonly filter?: DestinationFilter;
  readonly ordered?: boolean;
  readonly rate_per_second?: number | null;
  readonly enabled?: boolean;
}

export type Deps = Pick<ForwardingDeps, "metadata" | "clock" | "envelope" | "jobs" | "outbound">;
export type Key = Pick<DestinationRow, "id" | "webhook_id" | "org_id">;

const UNUSABLE = "The destination can't be used.";

export async function findDestination(
  deps: Pick<WebhooksDeps, "metadata">,
  webhookId: string,
  id: string,
): Promise<DestinationRow | undefined> {
  return destinationById(deps.metadata.read, webhookId, id);
}

/** Lists destinations, oldest first, on one page: there are few. */
export async function listDestinations(
  deps: Pick<WebhooksDeps, "metadata">,
  webhookId: string,
): Promise<DestinationRow[]> {
  return destinationRows(deps.metadata.read, webhookId);
}

/** Creates a destination. It gets the events that arrive from now on. @throws Problem `invalid_body`, `conflict` */
export async function createDestination(
  deps: Deps,
  caller: Caller,
  webhook: Pick<Webhook, "id" | "org_id">,
  input: DestinationInput,
): Promise<{ destination: DestinationRow; secret: string }> {
  const url = requireUrl(deps.outbound, input.url, UNUSABLE);
  const secret = newWebhookSecret();
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `webhook:${webhook.org_id}`);
    await enforceRecordLimit(deps.metadata, tx, "webhook_destinations_max", webhook.id);
    const position = await newestSeq(tx, webhook.id);
    const row = newRow(deps, caller, webhook, { input: { ...input, url }, secret, position });
    await insertDestination(tx, row);
    await forwardSoon(deps, tx, row);
    await audit(deps, tx, caller, { action: "webhook.destination.create", row, detail: detailOf(row) });
    return kept(tx, { destination: row, secret });
  });
}

/** @throws Problem `invalid_body`, `not_found`, `concurrent_update` */
export async function updateDestination(
  deps: Deps,
  caller: Caller,
  destination: Key,
  options: { change: Partial<DestinationInput>; ifMatch: string | undefined },
): Promise<DestinationRow> {
  const { change } = options;
  const url = change.url === undefined ? undefined : requireUrl(deps.outbound, change.url, UNUSABLE);
  const expected = await expectedOf(options.ifMatch, async () =>
    destinationVersion(await found(deps.metadata.read, destination)),
  );
  return changeDestination(deps, destination, async (tx, before) => {
    requireMatch(expected, destinationVersion(before));
    const known = destinationSettings(before);
    const { filter = known.filter, ordered = known.ordered, rate_per_second = known.rate_per_second } = change;
    const isResumed = change.enabled === true && before.state !== "active";
    const nowMs = deps.clock.nowMs();
    await setDestination(tx, before.id, {
      name: change.name ?? before.name,
      url: url ?? before.url,
      settings: JSON.stringify({ filter, ordered, rate_per_second }),
      ...(isResumed ? { state: "active", reason: null, failures: 0, failing_since: null } : {}),
      ...(change.enabled === false ? { state: "paused", reason: null } : {}),
      updated_at: nowMs,
      revision: before.revision + 1,
    });
    if (isResumed) await hurryPending(tx, before.id, nowMs);
    await forwardSoon(deps, tx, before);
    const detail = { changed: Object.keys(change).toSorted() };
    await audit(deps, tx, caller, { action: "webhook.destination.update", row: before, detail });
    return found(tx, before);
  });
}

/** @throws Problem `not_found` */
export async function deleteDestination(deps: Deps, caller: Caller, destination: Key): Promise<void> {
  await changeDestination(deps, destination, async (tx, row) => {
    await deps.jobs.remove(tx, FORWARD, row.id);
    await deleteDestinationRows(tx, row.id);
    await audit(deps, tx, caller, { action: "webhook.destination.delete", row, detail: detailOf(row) });
  });
}

/**
 * Creates a new secret, which signs at once. The old secret signs, too, until the overlap ends.
 * @throws Problem `not_found`
 */
export async function rotateDestinationSecret(
  deps: Deps,
  caller: Caller,
  destination: Key,
  overlapMs: number,
): Promise<{ secret: string; formerUntilMs: number | null }> {
  return changeDestination(deps, destination, async (tx, row) => {
    const { columns, ...rotated } = rotatedSecret(deps, "webhook_destination", row, overlapMs);
    await setDestination(tx, row.id, columns);
    const detail = { overlap_s: overlapMs / 1000 };
    await audit(deps, tx, caller, { action: "webhook.destination.secret.rotate", row, detail });
    return kept(tx, rotated);
  });
}

/** Lists deliveries, newest first. @throws Problem `invalid_parameter` for a foreign cursor */
export async function listDeliveries(
  deps: Pick<WebhooksDeps, "metadata">,
  destinationId: string,
  { state, cursor, limit }: PageQuery & { state?: DeliveryRow["state"] | undefined },
): Promise<Page<DeliveryRow>> {
  const beforeId = cursor === undefined ? undefined : decodeCursor(cursor, ["string"])[0];
  const rows = await deliveryRows(deps.metadata.read, destinationId, { state, beforeId, limit: limit + 1 });
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor([last.id]) : null };
}

export function destinationVersion({ id, revision }: Pick<DestinationRow, "id" | "revision">): object {
  return { id, revision };
}

function newRow(
  deps: Deps,
  caller: Caller,
  webhook: Pick<Webhook, "id" | "org_id">,
  made: { input: DestinationInput; secret: string; position: number },
): DestinationRow {
  const { input, secret, position } = made;
  const at = deps.clock.nowMs();
  const id = newId("dest", at);
  const { filter, ordered, rate_per_second } = { ...DEFAULT_DESTINATION, ...input };
  return {
    id,
    org_id: webhook.org_id,
    webhook_id: webhook.id,
    name: input.name,
    url: input.url,
    settings: JSON.stringify({ filter, ordered, rate_per_second }),
    state: input.enabled === false ? "paused" : "active",
    reason: null,
    secret: sealSecret(deps.envelope, { table: "webhook_destination", id }, secret),
    secret_version: 1,
    previous_secret: null,
    previous_secret_until: null,
    position,
    delivered: 0,
    failures: 0,
    failing_since: null,
    last_attempt_at: null,
    last_status: null,
    last_error: null,
    created_by: caller.principal.kind === "system" ? "system" : caller.principal.id,
    created_at: at,
    updated_at: at,
    revision: 1,
  };
}

/** Adds the jobs of a webhook's destinations again, which ended when it was put into the trash. */
export async function forwardAgain(deps: Pick<Deps, "clock" | "jobs">, tx: Writer, webhookId: string): Promise<void> {
  for (const row of await destinationRows(tx, webhookId)) if (row.state === "active") await forwardSoon(deps, tx, row);
}

/** Starts a run soon. A run that began before the change can't write its results any more. */
export function forwardSoon(deps: Pick<Deps, "clock" | "jobs">, tx: Writer, row: Key): Promise<void> {
  return deps.jobs.put(tx, { kind: FORWARD, key: row.id, group: row.org_id, dueAtMs: deps.clock.nowMs() });
}

export function changeDestination<T>(
  deps: Deps,
  destination: Key,
  work: (tx: Writer, row: DestinationRow) => Promise<T>,
): Promise<T> {
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `webhook:${destination.org_id}`);
    // Locks the job's row first, in the same order as a run.
    await deps.jobs.put(tx, {
      kind: FORWARD,
      key: destination.id,
      group: destination.org_id,
      dueAtMs: deps.clock.nowMs(),
    });
    return work(tx, await found(tx, destination));
  });
}

async function found(db: Reader, destination: Key): Promise<DestinationRow> {
  const row = await destinationById(db, destination.webhook_id, destination.id);
  if (row === undefined) throw absent();
  return row;
}

function detailOf(row: DestinationRow): Record<string, unknown> {
  return { name: row.name, webhook: row.webhook_id, destination: originOf(row.url) };
}

export async function audit(
  deps: Deps,
  tx: Writer,
  caller: Caller,
  event: { action: string; row: Key; detail: Record<string, unknown> },
): Promise<void> {
  const { action, row, detail } = event;
  const target = { kind: "webhook_destination", id: row.id };
  await appendAudit(deps, tx, { ...auditOrigin(caller), orgId: row.org_id, action, target, detail });
}
