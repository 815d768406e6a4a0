import { ofAllowing } from "#domain/suspension/index.ts";
import type { Cutoff } from "#kernel/deletions.ts";
import { withOptionalProject, type OptionalProjectColumns } from "#domain/projects/index.ts";
import { usageRows } from "#domain/quotas/index.ts";
import type { Reader, Tables, Writer } from "#stores/metadata/index.ts";
import { isOfPlaces, nonEmpty, type Places } from "./places.ts";
import { type FileRow } from "./store.ts";

export type TrashedRow = Tables["trashed_file"];
/** A file in the trash, with the columns that decide who may see it. */
export type TrashedFile = TrashedRow & OptionalProjectColumns;

export function insertTrashed(tx: Writer, row: TrashedRow): void {
  tx.defer(tx.insertInto("trashed_file").values(row));
}

/** Finds a file in the trash. Files that are due count as deleted. */
export async function trashedById(
  db: Reader,
  orgId: string,
  id: string,
  nowMs: number,
): Promise<TrashedFile | undefined> {
  return withOptionalProject(db.selectFrom("trashed_file").selectAll("trashed_file"), "trashed_file.project_id")
    .where("trashed_file.org_id", "=", orgId)
    .where("trashed_file.id", "=", id)
    .where("trashed_file.purge_at", ">", nowMs)
    .executeTakeFirst();
}

/**
 * Deletes a row. Undefined if it does not exist any more. `due` true: only if the file is due. False: only if it is
 * not.
 */
export async function deleteTrashedRow(
  tx: Writer,
  orgId: string,
  id: string,
  due: { readonly isDue: true; readonly nowMs: Cutoff } | { readonly isDue: false; readonly nowMs: number },
): Promise<TrashedRow | undefined> {
  return tx
    .deleteFrom("trashed_file")
    .where("org_id", "=", orgId)
    .where("id", "=", id)
    .where("purge_at", due.isDue ? "<=" : ">", due.nowMs)
    .returningAll()
    .executeTakeFirst();
}

function inTrash(db: Reader, places: Places, nowMs: number) {
  return trashed(db, places).where("purge_at", ">", nowMs);
}

function trashed(db: Reader, { orgId, projectId, hidden, only }: Places) {
  return db
    .selectFrom("trashed_file")
    .where("org_id", "=", orgId)
    .$if(projectId !== undefined, (query) => query.where("project_id", "=", projectId ?? ""))
    .$if(only !== null, (query) => query.where("project_id", "in", nonEmpty(only ?? [])))
    .$if(hidden.length > 0, (query) =>
      query.where((eb) => eb.or([eb("project_id", "is", null), eb("project_id", "not in", [...hidden])])),
    );
}

/** Returns files in the trash, last deleted first. */
export async function trashedRows(
  db: Reader,
  places: Places,
  page: { readonly limit: number; readonly offset: number; readonly nowMs: number },
): Promise<TrashedRow[]> {
  // The ids come from an index alone. Then the rows are read.
  const ids = inTrash(db, places, page.nowMs)
    .select("id")
    .orderBy("deleted_at", "desc")
    .orderBy("id", "desc")
    .limit(page.limit)
    .offset(page.offset);
  return db
    .selectFrom(ids.as("page"))
    .innerJoin("trashed_file", "trashed_file.id", "page.id")
    .selectAll("trashed_file")
    .orderBy("trashed_file.deleted_at", "desc")
    .orderBy("trashed_file.id", "desc")
    .execute();
}

/** Returns files in the trash by id, after one of them. */
export async function trashedAfter(
  db: Reader,
  places: Places,
  page: { readonly afterId: string; readonly limit: number; readonly nowMs: number },
): Promise<TrashedFile[]> {
  const ids = inTrash(db, places, page.nowMs)
    .select("id")
    .where("id", ">", page.afterId)
    .orderBy("id")
    .limit(page.limit);
  const files = db
    .selectFrom(ids.as("page"))
    .innerJoin("trashed_file", "trashed_file.id", "page.id")
    .selectAll("trashed_file");
  return withOptionalProject(files, "trashed_file.project_id").orderBy("trashed_file.id").execute();
}

/**
 * Returns the totals without files that are due. The counters include those until they are removed, within a minute.
 */
export async function trashTotals(
  db: Reader,
  places: Places,
  nowMs: number,
): Promise<{ readonly total: number; readonly bytes: number }> {
  const kept = (await usageRows(db, "files", { org_id: places.orgId })).filter(({ place }) =>
    isOfPlaces(places, place),
  );
  const due = await trashed(db, places)
    .where("purge_at", "<=", nowMs)
    .select((eb) => [eb.fn.countAll<number>().as("files"), eb.fn.sum<number | null>("size").as("bytes")])
    .executeTakeFirstOrThrow();
  const total = kept.reduce((sum, { trashed_files: files }) => sum + files, 0) - Number(due.files);
  const bytes = kept.reduce((sum, { trashed_bytes: size }) => sum + size, 0) - Number(due.bytes ?? 0);
  // Some due files may have been removed between the two reads.
  return { total: Math.max(0, total), bytes: Math.max(0, bytes) };
}

/** Returns due files of all organizations. */
export async function dueTrash(db: Reader, nowMs: Cutoff, limit: number): Promise<Pick<TrashedRow, "id" | "org_id">[]> {
  return db
    .selectFrom("trashed_file")
    .select(["id", "org_id"])
    .where("purge_at", "<=", nowMs)
    .where(ofAllowing("retain", "org_id"))
    .orderBy("purge_at")
    .limit(limit)
    .execute();
}

/** Sets the days. Due files stay due, because their project is deleted. */
export async function setTrashDays(tx: Writer, orgId: string, days: number, nowMs: number): Promise<void> {
  await tx
    .updateTable("trashed_file")
    .set((eb) => ({ purge_at: eb("deleted_at", "+", days * DAY_MS) }))
    .where("org_id", "=", orgId)
    .where("purge_at", ">", nowMs)
    .execute();
}

export const DAY_MS = 86_400_000;

/** Returns the file that this row was before it was deleted. */
export function fileOfTrashed(trashed: TrashedRow): FileRow {
  const { id, org_id, project_id, filename, content_type, size, sha256, blob_id, created_by, created_at } = trashed;
  return { id, org_id, project_id, filename, content_type, size, sha256, blob_id, created_by, created_at };
}
