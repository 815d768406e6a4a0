import { dropGrant } from "./parts-store.ts";
import { countUsage, deleteFileRow } from "./store.ts";
import { deleteTrashedRow } from "./trash-store.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";

type Deps = Pick<FilesDeps, "metadata" | "objects" | "clock">;
type Project = { readonly id: string; readonly orgId: string };

const BATCH = 200;

/**
 * Deletes the files of a project for good, those in its trash, and its uploads, when its own time in the trash has ended.
 * It works in steps, which can be repeated. Returns the number of files.
 */
export async function eraseFiles(deps: Deps, project: Project, signal: AbortSignal): Promise<number> {
  let files = 0;
  for (const table of ["file", "trashed_file", "upload_grant"] as const)
    for (let count = BATCH; count === BATCH;) {
      signal.throwIfAborted();
      count = await eraseSome(deps, project, table);
      if (table !== "upload_grant") files += count;
    }
  return files;
}

async function eraseSome(
  deps: Deps,
  { id: projectId, orgId }: Project,
  table: "file" | "trashed_file" | "upload_grant",
): Promise<number> {
  // Read before the write: an end that waits for other work comes by often, and then there are none.
  const ours = deps.metadata.read.selectFrom(table).select("id").where("org_id", "=", orgId);
  const ids = (await ours.where("project_id", "=", projectId).limit(BATCH).execute()).map(({ id }) => id);
  if (ids.length === 0) return 0;
  return deps.metadata.write(async (tx) => {
    await lockFiles(deps, tx, orgId);
    for (const id of ids) await eraseOne(deps, tx, orgId, { table, id });
    return ids.length;
  });
}

async function eraseOne(
  deps: Deps,
  tx: Parameters<typeof dropGrant>[0],
  orgId: string,
  { table, id }: { readonly table: "file" | "trashed_file" | "upload_grant"; readonly id: string },
): Promise<void> {
  if (table === "upload_grant") {
    const grant = await dropGrant(tx, deps.objects, orgId, id);
    if (grant !== undefined) countUsage(tx, grant, { grants: -1, reserved: -grant.reserved });
    return;
  }
  if (table === "file") {
    const file = await deleteFileRow(tx, orgId, id);
    if (file === undefined) return;
    countUsage(tx, file, { files: -1, bytes: -file.size });
    return deps.objects.unlink(tx, orgId, [file.blob_id]);
  }
  // Also those that are due: no file has an earlier time.
  const trashed = await deleteTrashedRow(tx, orgId, id, { isDue: false, nowMs: -1 });
  if (trashed === undefined) return;
  countUsage(tx, trashed, { trashed_files: -1, trashed_bytes: -trashed.size });
  return deps.objects.unlink(tx, orgId, [trashed.blob_id]);
}
