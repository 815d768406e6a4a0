import type { TrashKind } from "@mooring/contract";
import { ofAllowing } from "#domain/suspension/index.ts";
import { withAnyProject, withinProjects, type ProjectColumns, type Reach } from "#domain/projects/index.ts";
import type { Cutoff } from "#kernel/deletions.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";

export type TrashRow = Omit<Tables["trash_item"], "kind"> & { readonly kind: TrashKind };

/** An item with the columns of its project that decide who may see it. */
export type TrashItem = TrashRow & ProjectColumns;

export const DAY_MS = 86_400_000;

export async function insertItem(tx: Writer, row: TrashRow): Promise<void> {
  await tx.insertInto("trash_item").values(row).execute();
}

/** Items that can be restored. What went into the trash with its project comes back with the project. */
function present(db: Reader, orgId: string, nowMs: number) {
  return withAnyProject(db.selectFrom("trash_item").selectAll("trash_item"), "trash_item.project_id")
    .where("trash_item.org_id", "=", orgId)
    .where("trash_item.purge_at", ">", nowMs)
    .where((eb) => eb.or([eb("trash_item.kind", "=", "project"), eb("project.trashed_at", "is", null)]));
}

/** Finds an item that is not due. `authorize` decides who may see it. */
export async function itemById(db: Reader, orgId: string, id: string, nowMs: number): Promise<TrashItem | undefined> {
  const row = await present(db, orgId, nowMs).where("trash_item.id", "=", id).executeTakeFirst();
  return row as TrashItem | undefined;
}

/** Lists items, last deleted first. @param reaches the reach of each kind's permission to read */
export async function itemRows(
  db: Reader,
  orgId: string,
  reaches: ReadonlyMap<TrashKind, Reach>,
  page: { beforeId: string | undefined; limit: number; projectId: string | undefined; nowMs: number },
): Promise<TrashItem[]> {
  const rows = await present(db, orgId, page.nowMs)
    .where((eb) =>
      eb.or(
        [...reaches].map(([kind, reach]) =>
          eb.and([
            eb("trash_item.kind", "=", kind),
            eb.eb(withinProjects(reach, "project.id", "trash_item.object_id"), "=", eb.lit(true)),
          ]),
        ),
      ),
    )
    .$if(page.projectId !== undefined, (query) => query.where("trash_item.project_id", "=", page.projectId ?? ""))
    .$if(page.beforeId !== undefined, (query) => query.where("trash_item.id", "<", page.beforeId ?? ""))
    .orderBy("trash_item.id", "desc")
    .limit(page.limit)
    .execute();
  return rows as TrashItem[];
}

/** Deletes the row of an item that is not due. Undefined: it is gone. */
export async function takeItem(tx: Writer, orgId: string, id: string, nowMs: number): Promise<TrashRow | undefined> {
  const row = await tx
    .deleteFrom("trash_item")
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .where("purge_at", ">", nowMs)
    .returningAll()
    .executeTakeFirst();
  return row as TrashRow | undefined;
}

/** Makes an item due. Returns false if it is gone or due already. */
export async function makeDue(tx: Writer, orgId: string, id: string, nowMs: number): Promise<boolean> {
  const rows = await tx
    .updateTable("trash_item")
    .set({ purge_at: 0 })
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .where("purge_at", ">", nowMs)
    .returning("id")
    .execute();
  return rows.length > 0;
}

/** Deletes the row of an item that has ended. Returns false if it is gone. */
export async function dropItem(tx: Writer, id: string): Promise<boolean> {
  return (await tx.deleteFrom("trash_item").where("id", "=", id).returning("id").execute()).length > 0;
}

/** Deletes the rows of all items of a project. Their objects are deleted with it. */
export async function dropItemsOfProject(tx: Writer, orgId: string, projectId: string): Promise<void> {
  await tx.deleteFrom("trash_item").where("org_id", "=", orgId).where("project_id", "=", projectId).execute();
}

/** Stores facts of the kind about an item. */
export async function setDetail(tx: Writer, id: string, detail: object): Promise<void> {
  await tx
    .updateTable("trash_item")
    .set({ detail: JSON.stringify(detail) })
    .where("id", "=", id)
    .execute();
}

/**
 * Returns due items of all organizations that allow it after a place, first due first. Null: the clock is in doubt, so only items
 * that somebody deleted for good are due.
 */
export async function dueItems(
  db: Reader,
  nowMs: Cutoff | null,
  after: Pick<TrashRow, "purge_at" | "id"> | undefined,
  limit: number,
): Promise<TrashRow[]> {
  const rows = await db
    .selectFrom("trash_item")
    .selectAll()
    .where("purge_at", "<=", nowMs ?? 0)
    .where(ofAllowing("retain", "org_id"))
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb.or([
          eb("purge_at", ">", after?.purge_at ?? 0),
          eb.and([eb("purge_at", "=", after?.purge_at ?? 0), eb("id", ">", after?.id ?? "")]),
        ]),
      ),
    )
    .orderBy("purge_at")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows as TrashRow[];
}

/** Sets the days of the organization. Due items stay due. */
export async function setDaysOfItems(tx: Writer, orgId: string, days: number, nowMs: number): Promise<void> {
  await tx
    .updateTable("trash_item")
    .set((eb) => ({ purge_at: eb("deleted_at", "+", days * DAY_MS) }))
    .where("org_id", "=", orgId)
    .where("purge_at", ">", nowMs)
    .execute();
}

/** Returns the organization's days. Null: it has no own days. Files and all other kinds have the same days. */
export async function ownTrashDays(db: Reader, orgId: string): Promise<number | null> {
  const policy = db.selectFrom("file_policy").select("trash_days").where("org_id", "=", orgId);
  return (await policy.executeTakeFirst())?.trash_days ?? null;
}

/** Returns the items of an object, for example the deleted images of an app. */
export async function itemsOf(db: Reader, orgId: string, objectId: string): Promise<TrashRow[]> {
  const items = db.selectFrom("trash_item").selectAll().where("org_id", "=", orgId);
  return (await items.where("object_id", "=", objectId).execute()) as TrashRow[];
}

/** Moves the items of an app to another project, with the app and the hidden apps that keep its images. */
export async function moveItems(tx: Writer, orgId: string, objectId: string, toProjectId: string): Promise<void> {
  const keepers = tx.selectFrom("trash_item").select("keeper_id").where("org_id", "=", orgId);
  const kept = keepers.where("object_id", "=", objectId).where("keeper_id", "is not", null);
  await tx
    .updateTable("app")
    .set({ project_id: toProjectId })
    .where("id", "in", kept.$castTo<{ keeper_id: string }>())
    .execute();
  await tx
    .updateTable("trash_item")
    .set({ project_id: toProjectId })
    .where("org_id", "=", orgId)
    .where("object_id", "=", objectId)
    .execute();
}
