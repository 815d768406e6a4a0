import type { FILE_ROUTES } from "@mooring/contract";
import { deleteFile as remove } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { callerOf, requireFileOrGrant } from "../resources.ts";

export function deleteFile(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.deleteFile> {
  return async ({ params, query }, context) => {
    const { principal } = context;
    await requireFileOrGrant(deps, principal, params.file_id, "files:delete");
    await remove(deps, callerOf(context), principal.orgId, { id: params.file_id, permanent: query.permanent });
    return undefined;
  };
}
