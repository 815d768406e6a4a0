import { projectByName } from "#domain/projects/index.ts";
import { requireQuota } from "#domain/quotas/index.ts";
import { newId } from "#kernel/ids.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { fileQuota } from "./quota.ts";
import { countUsage, fileById, grantById, insertFile, type FileRow } from "./store.ts";
import { trashedById } from "./trash-store.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";

/**
 * Adds a file of a backup, in the transaction that linked its content. If a file with its id exists, or is in the trash,
 * the new one gets another id.
 * @throws Error when its project is not here; Problem `storage_quota_exceeded`
 */
export async function restoreFileRow(
  deps: Pick<FilesDeps, "metadata" | "clock" | "settings">,
  tx: Writer,
  file: FileRow,
): Promise<FileRow> {
  const { org_id: orgId, project_id: projectId } = file;
  await lockFiles(deps, tx, orgId);
  if (projectId !== null && (await projectByName(tx, orgId, projectId)) === undefined)
    throw new Error("the project of the file is not on this server: restore the project");
  await requireQuota(tx, fileQuota(deps.settings), { orgId, bytes: file.size });
  const isTaken =
    (await fileById(tx, file.id)) !== undefined ||
    (await grantById(tx, file.id)) !== undefined ||
    (await trashedById(tx, orgId, file.id, 0)) !== undefined;
  const made = isTaken ? { ...file, id: newId("file", deps.clock.nowMs()) } : file;
  insertFile(tx, made);
  countUsage(tx, made, { files: 1, bytes: made.size });
  return made;
}
