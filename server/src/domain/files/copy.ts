import { kept } from "#domain/idempotency/index.ts";
import { type Principal, absent } from "#domain/identity/index.ts";
import type { Caller } from "#domain/organizations/index.ts";
import { requireQuota, requireScopes } from "#domain/quotas/index.ts";
import { newId } from "#kernel/ids.ts";
import { auditFile } from "./audit.ts";
import { fileQuota, projectFull } from "./quota.ts";
import { countUsage, fileById, insertFile, type FileRow } from "./store.ts";
import { lockFiles, type FilesDeps } from "./uploads.ts";

/**
 * Creates a file with the content of another file, in the same place. The stored content is linked again, not copied.
 * The quota counts it like any file.
 * @throws Problem `not_found`, `storage_quota_exceeded`
 */
export async function copyFile(
  deps: FilesDeps,
  caller: Caller & { readonly principal: Principal },
  { id, filename }: { readonly id: string; readonly filename: string | undefined },
): Promise<FileRow> {
  const { orgId, id: createdBy } = caller.principal;
  return deps.metadata.write(async (tx) => {
    await lockFiles(deps, tx, orgId);
    const found = await fileById(tx, id);
    if (found?.org_id !== orgId) throw absent();
    const { visibility: _visibility, project_state: _state, ...source } = found;
    await requireQuota(tx, fileQuota(deps.settings), { orgId, bytes: source.size });
    const place = { orgId, projectId: source.project_id };
    await requireScopes(deps.metadata, tx, { place, bytes: source.size, refusal: projectFull });
    await deps.objects.link(tx, orgId, source.blob_id);
    const nowMs = deps.clock.nowMs();
    const names = { id: newId("file", nowMs), filename: filename ?? source.filename };
    const file = { ...source, ...names, created_by: createdBy, created_at: nowMs };
    insertFile(tx, file);
    countUsage(tx, file, { files: 1, bytes: file.size });
    await auditFile(deps, tx, caller, { action: "file.copy", file, more: { from: id } });
    return kept(tx, file);
  });
}
