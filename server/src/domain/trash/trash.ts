import { TRASH_KINDS, TRASH_RULES, type TrashKind } from "@mooring/contract";
import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { absent, reachOf, type Principal } from "#domain/identity/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import type { Jobs } from "#stores/jobs/index.ts";
import type { MetadataStore, Reader, Writer } from "#stores/metadata/index.ts";
import { wakeEnd } from "./end.ts";
import type { RestoreOptions, TrashKinds } from "./kinds.ts";
import {
  DAY_MS,
  insertItem,
  itemById,
  itemRows,
  makeDue,
  ownTrashDays,
  takeItem,
  type TrashItem,
  type TrashRow,
} from "./store.ts";

export interface TrashSettings {
  /** The days of organizations without own ones. */
  readonly days: number;
}

/** The dependencies of a deletion that can be undone. */
export interface TrashDeps {
  readonly trash: TrashSettings;
}

/** Returns for how many days something that is deleted now can be restored. 0: it can't be restored. */
export async function trashDaysOf({ trash }: TrashDeps, db: Reader, orgId: string): Promise<number> {
  return (await ownTrashDays(db, orgId)) ?? trash.days;
}

export interface Trashed {
  readonly kind: TrashKind;
  readonly orgId: string;
  readonly projectId: string;
  readonly objectId: string;
  readonly keeperId?: string;
  readonly name: string;
  readonly detail?: object;
}

/** Adds an item in the transaction that hides the object. With zero days it is due at once. */
export async function moveToTrash(
  deps: TrashDeps & { readonly clock: Clock },
  tx: Writer,
  { principal }: { readonly principal: { readonly kind: "system" } | Pick<Principal, "kind" | "id"> },
  trashed: Trashed,
): Promise<TrashRow> {
  const nowMs = deps.clock.nowMs();
  const { orgId, kind, projectId, objectId, keeperId = null, name, detail = {} } = trashed;
  const row: TrashRow = {
    id: newId("trash", nowMs),
    org_id: orgId,
    project_id: projectId,
    kind,
    object_id: objectId,
    keeper_id: keeperId,
    name,
    detail: JSON.stringify(detail),
    deleted_by: "id" in principal ? principal.id : null,
    deleted_at: nowMs,
    purge_at: nowMs + (await trashDaysOf(deps, tx, orgId)) * DAY_MS,
  };
  await insertItem(tx, row);
  return row;
}

interface ListDeps {
  readonly metadata: Pick<MetadataStore, "read">;
  readonly clock: Clock;
}

/** Returns the items that the principal may see, last deleted first. */
export async function trashItems(
  { metadata, clock }: ListDeps,
  principal: Principal,
  page: {
    readonly beforeId: string | undefined;
    readonly limit: number;
    readonly projectId: string | undefined;
    readonly kind: TrashKind | undefined;
  },
): Promise<TrashItem[]> {
  const kinds = page.kind === undefined ? TRASH_KINDS : [page.kind];
  const reaches = new Map(kinds.map((kind) => [kind, reachOf(principal, TRASH_RULES[kind].read)]));
  return itemRows(metadata.read, principal.orgId, reaches, { ...page, nowMs: clock.nowMs() });
}

/** Returns undefined if the item is not in the trash. `authorize` decides who may see it. */
export function findTrashItem(
  { metadata, clock }: ListDeps,
  orgId: string,
  id: string,
): Promise<TrashItem | undefined> {
  return itemById(metadata.read, orgId, id, clock.nowMs());
}

export interface TrashWork {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly kinds: TrashKinds;
  readonly jobs: Pick<Jobs, "wake">;
}

type Origin = Pick<AuditEvent, "actor" | "ip" | "requestId" | "result">;

/** Restores an item as it was, or under another slug. @throws Problem `not_found`; `conflict` with the remedy, if something is in its way */
export async function restoreItem(
  work: TrashWork,
  origin: Origin,
  { org_id: orgId, id, kind }: TrashRow,
  options: RestoreOptions = {},
): Promise<void> {
  const { metadata, clock, kinds } = work;
  const rules = kinds[kind];
  const row = await metadata.write(async (tx) => {
    await metadata.lock(tx, `${rules.lock}:${orgId}`);
    const taken = await takeItem(tx, orgId, id, clock.nowMs());
    if (taken === undefined) throw absent();
    await rules.restore(tx, taken, options);
    const { slug } = options;
    await appendAudit(work, tx, auditOf(origin, "restore", taken, slug === undefined ? {} : { slug }));
    return taken;
  });
  await rules.restored?.(row);
}

/** Deletes an item for good: it can't be restored any more. The server ends it soon. @throws Problem `not_found` */
export async function purgeItem(work: TrashWork, origin: Origin, item: TrashRow): Promise<void> {
  const { metadata, clock, jobs } = work;
  await metadata.write(async (tx) => {
    await metadata.lock(tx, `${work.kinds[item.kind].lock}:${item.org_id}`);
    await work.kinds[item.kind].beforePurge?.(tx, item);
    if (!(await makeDue(tx, item.org_id, item.id, clock.nowMs()))) throw absent();
    await wakeEnd(jobs, tx);
    await appendAudit(work, tx, auditOf(origin, "purge", item));
  });
}

/** The entry of the audit log: `webhook.restore`, with the object as its target. */
export function auditOf(
  origin: Origin,
  verb: "restore" | "purge" | "end",
  row: TrashRow,
  more: object = {},
): AuditEvent {
  const { noun, target } = TRASH_RULES[row.kind];
  return {
    ...origin,
    orgId: row.org_id,
    action: `${noun}.${verb}`,
    target: { kind: target, id: row.object_id },
    detail: { name: row.name, project: row.project_id, item: row.id, ...more },
  };
}
