import { authorize, type Principal, absent } from "#domain/identity/index.ts";
import { SYSTEM, type Caller } from "#domain/organizations/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import type { Cutoff, GuardedClock } from "#kernel/deletions.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { auditFile } from "./audit.ts";
import { placesOf } from "./places.ts";
import { trashDaysOf as daysOf } from "#domain/trash/index.ts";
import { countUsage, insertFile, type FileRow } from "./store.ts";
import {
  DAY_MS,
  deleteTrashedRow,
  dueTrash,
  fileOfTrashed,
  insertTrashed,
  trashedAfter,
  trashedById,
  trashedRows,
  trashTotals,
  type TrashedFile,
  type TrashedRow,
} from "./trash-store.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";

type Deps = Pick<FilesDeps, "metadata" | "clock" | "objects">;

export interface TrashPage {
  readonly files: TrashedRow[];
  /** The number of files on all pages. */
  readonly total: number;
  /** The bytes of all pages. They count towards the quota. */
  readonly bytes: number;
}

/** Returns for how many days a file that is deleted now can be restored. 0: it can't be restored. */
export async function trashDaysOf(
  { settings }: Pick<FilesDeps, "settings">,
  db: Reader,
  orgId: string,
): Promise<number> {
  return daysOf({ trash: { days: settings.trashDays } }, db, orgId);
}

/**
 * Puts a file into the trash. The caller has deleted its row. Its content stays linked. Returns when the file is due.
 */
export function moveToTrash(
  deps: Pick<FilesDeps, "clock">,
  tx: Writer,
  { principal }: Caller,
  { file, days }: { readonly file: FileRow; readonly days: number },
): number {
  const nowMs = deps.clock.nowMs();
  const purgeAt = nowMs + days * DAY_MS;
  const deletedBy = principal.kind === "system" ? null : principal.id;
  insertTrashed(tx, { ...file, deleted_by: deletedBy, deleted_at: nowMs, purge_at: purgeAt });
  countUsage(tx, file, { trashed_files: 1, trashed_bytes: file.size });
  return purgeAt;
}

/** Returns undefined if the file is not in the organization's trash. `authorize` decides who may see it. */
export async function findTrashed(
  { metadata, clock }: Pick<FilesDeps, "metadata" | "clock">,
  orgId: string,
  id: string,
): Promise<TrashedFile | undefined> {
  return trashedById(metadata.read, orgId, id, clock.nowMs());
}

/** Lists the files in the trash that the principal may see, last deleted first. */
export async function listTrash(
  deps: Pick<FilesDeps, "metadata" | "clock">,
  principal: Principal,
  { projectId, ...page }: { readonly limit: number; readonly offset: number; readonly projectId: string | undefined },
): Promise<TrashPage> {
  const nowMs = deps.clock.nowMs();
  const places = await placesOf(deps, principal, projectId);
  const totals = await trashTotals(deps.metadata.read, places, nowMs);
  const files = page.offset >= totals.total ? [] : await trashedRows(deps.metadata.read, places, { ...page, nowMs });
  return { files, ...totals };
}

/** Restores a file, with its id and time. @throws Problem `not_found` */
export async function restoreFile(deps: Deps, caller: Caller, orgId: string, id: string): Promise<FileRow> {
  return deps.metadata.write(async (tx) => {
    await lockFiles(deps, tx, orgId);
    const trashed = await deleteTrashedRow(tx, orgId, id, { isDue: false, nowMs: deps.clock.nowMs() });
    if (trashed === undefined) throw absent();
    const file = fileOfTrashed(trashed);
    insertFile(tx, file);
    countUsage(tx, file, { files: 1, bytes: file.size, trashed_files: -1, trashed_bytes: -file.size });
    await auditFile(deps, tx, caller, { action: "file.restore", file });
    return file;
  });
}

/** Deletes a file in the trash for good. @throws Problem `not_found` */
export async function purgeFile(deps: Deps, caller: Caller, orgId: string, id: string): Promise<void> {
  const gone = await purge(deps, caller, { orgId, ids: [id], dueAt: null });
  if (gone.files === 0) throw absent();
}

/** Deletes all files in the trash that the principal may delete. A file that is restored in the meantime stays. */
export async function emptyTrash(
  deps: Deps,
  caller: Caller & { readonly principal: Principal },
  projectId: string | undefined,
  signal: AbortSignal,
): Promise<{ files: number; bytes: number }> {
  const { principal } = caller;
  const places = await placesOf(deps, principal, projectId);
  const gone = { files: 0, bytes: 0 };
  for (let afterId = "", isMore = true; isMore;) {
    signal.throwIfAborted();
    const page = { afterId, limit: BATCH, nowMs: deps.clock.nowMs() };
    const found = await trashedAfter(deps.metadata.read, places, page);
    const own = found.filter((each) => authorize(principal, "files:delete", resourceOf(each)) === "allowed");
    const ids = own.map(({ id }) => id);
    const { files, bytes } = await purge(deps, caller, { orgId: principal.orgId, ids, dueAt: null });
    gone.files += files;
    gone.bytes += bytes;
    isMore = found.length === BATCH;
    afterId = found.at(-1)?.id ?? "";
  }
  return gone;
}

const BATCH = 200;

/**
 * Deletes due files. Several nodes may do so at the same time, and may stop at any point. Returns the number of deleted
 * files.
 */
export async function purgeDue(deps: Deps & { readonly clock: GuardedClock }): Promise<number> {
  const nowMs = deps.clock.deletionTime("file_trash");
  if (nowMs === null) return 0;
  for (let count = 0; ;) {
    const due = await dueTrash(deps.metadata.read, nowMs, BATCH);
    for (const [orgId, rows] of Map.groupBy(due, (row) => row.org_id)) {
      const ids = rows.map(({ id }) => id);
      count += (await purge(deps, SYSTEM, { orgId, ids, dueAt: nowMs })).files;
    }
    if (due.length < BATCH) return count;
  }
}

interface Purge {
  readonly orgId: string;
  readonly ids: readonly string[];
  /** Deletes only files that are due at this time. Null: all, because an actor asked for it. */
  readonly dueAt: Cutoff | null;
}

/** Deletes the files in one transaction. Files that do not exist any more are skipped. */
async function purge(
  deps: Deps,
  caller: Caller,
  { orgId, ids, dueAt }: Purge,
): Promise<{ readonly files: number; readonly bytes: number }> {
  if (ids.length === 0) return { files: 0, bytes: 0 };
  return deps.metadata.write(async (tx) => {
    await lockFiles(deps, tx, orgId);
    const gone: TrashedRow[] = [];
    const due =
      dueAt === null
        ? ({ isDue: false, nowMs: deps.clock.nowMs() } as const)
        : ({ isDue: true, nowMs: dueAt } as const);
    for (const id of ids) {
      const file = await deleteTrashedRow(tx, orgId, id, due);
      if (file !== undefined) gone.push(file);
    }
    await deps.objects.unlink(
      tx,
      orgId,
      gone.map((file) => file.blob_id),
    );
    for (const file of gone) countUsage(tx, file, { trashed_files: -1, trashed_bytes: -file.size });
    for (const file of gone) await auditFile(deps, tx, caller, { action: "file.purge", file });
    return { files: gone.length, bytes: gone.reduce((sum, { size }) => sum + size, 0) };
  });
}
