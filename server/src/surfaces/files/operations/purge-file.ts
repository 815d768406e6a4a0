import type { FILE_ROUTES } from "@mooring/contract";
import { purgeFile as purge } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { callerOf, trashedFor } from "../resources.ts";

export function purgeFile(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.purgeFile> {
  return async ({ params }, context) => {
    const { principal } = context;
    const { id } = await trashedFor(deps, principal, params.file_id, "files:delete");
    await purge(deps, callerOf(context), principal.orgId, id);
    return undefined;
  };
}
