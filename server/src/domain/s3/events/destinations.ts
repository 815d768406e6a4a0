import { kept } from "#domain/idempotency/index.ts";
import { appendAudit } from "#domain/audit/index.ts";
import { requireUrl, sealSecret } from "#domain/delivery/index.ts";
import { enforceRecordLimit } from "#domain/limits/index.ts";
import { absent } from "#domain/identity/index.ts";
import { auditOrigin, type Caller } from "#domain/organizations/index.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { newWebhookSecret } from "#kernel/webhook-signature.ts";
import type { S3Deps } from "../deps.ts";
import {
  deleteDestination as deleteRow,
  destinationByName,
  insertDestination,
  latestDeliveries,
  listDestinationRows,
  type DeliveryRow,
  type DestinationRow,
} from "./store.ts";

export type DestinationDeps = Pick<S3Deps, "metadata" | "envelope" | "outbound"> & { readonly clock: Clock };
export type Destination = Omit<DestinationRow, "secret">;

export interface MadeDestination {
  readonly destination: Destination;
  /** Only this answer contains the secret. */
  readonly secret: string;
}

/**
 * Creates a destination for events of buckets. Only this answer contains the secret that signs them.
 * @throws Problem `invalid_body`, `conflict`, `quota_exceeded`
 */
export async function createDestination(
  deps: DestinationDeps,
  caller: Caller,
  orgId: string,
  input: { readonly name: string; readonly url: string },
): Promise<MadeDestination> {
  const url = requireUrl(deps.outbound, input.url, "Events can't be sent there.");
  const nowMs = deps.clock.nowMs();
  const id = newId("dest", nowMs);
  const secret = newWebhookSecret();
  const sealed = sealSecret(deps.envelope, { table: "s3_destination", id }, secret);
  const destination = { id, org_id: orgId, name: input.name, url, created_at: nowMs };
  return deps.metadata.write(async (tx) => {
    await deps.metadata.lock(tx, `s3_destination:${orgId}`);
    await enforceRecordLimit(deps.metadata, tx, "s3_destinations_max", orgId);
    if (!(await insertDestination(tx, { ...destination, secret: sealed })))
      throw new Problem("conflict", "There is a destination of this name; delete it first, or choose another name.");
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "s3_destination.create",
      target: { kind: "s3_destination", id },
      detail: { name: input.name, url: withoutQuery(url) },
    });
    return kept(tx, { destination, secret });
  });
}

/** Lists destinations, newest first. */
export async function listDestinations(
  deps: Pick<DestinationDeps, "metadata">,
  orgId: string,
  page: { readonly beforeId: string | undefined; readonly limit: number },
): Promise<Destination[]> {
  return listDestinationRows(deps.metadata.read, orgId, page);
}

/** Finds a destination by id or name, with its latest failed deliveries. @throws Problem `not_found` */
export async function getDestination(
  deps: Pick<DestinationDeps, "metadata">,
  orgId: string,
  name: string,
): Promise<{ readonly destination: Destination; readonly undelivered: readonly DeliveryRow[] }> {
  const destination = await destinationByName(deps.metadata.read, orgId, name);
  if (destination === undefined) throw absent();
  return { destination, undelivered: await latestDeliveries(deps.metadata.read, destination.id, 20) };
}

/**
 * Deletes a destination. It gets no more messages, even if buckets still name it.
 * @throws Problem `not_found`
 */
export async function deleteDestination(
  deps: DestinationDeps,
  caller: Caller,
  orgId: string,
  name: string,
): Promise<void> {
  await deps.metadata.write(async (tx) => {
    const row = await destinationByName(tx, orgId, name);
    if (row === undefined) throw absent();
    await deleteRow(tx, row.id);
    await appendAudit(deps, tx, {
      ...auditOrigin(caller),
      orgId,
      action: "s3_destination.delete",
      target: { kind: "s3_destination", id: row.id },
      detail: { name: row.name },
    });
  });
}

/** Removes the query, which may contain a secret. */
function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
