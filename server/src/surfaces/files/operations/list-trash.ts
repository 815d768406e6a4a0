import type { FILE_ROUTES } from "@mooring/contract";
import { listTrash as list, trashDaysOf } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { trashedBody } from "../model.ts";
import { placeFor } from "../resources.ts";

export function listTrash(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.listTrash> {
  return async ({ query: { limit = 50, offset = 0, project } }, { principal }) => {
    const named = project === undefined ? null : await placeFor(deps, principal, project, "files:read");
    const { files, total, bytes } = await list(deps, principal, { limit, offset, projectId: named ?? undefined });
    const days = await trashDaysOf(deps, deps.metadata.read, principal.orgId);
    return { data: { files: files.map(trashedBody), total, bytes, trash_days: days } };
  };
}
