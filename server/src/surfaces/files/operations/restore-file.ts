import type { FILE_ROUTES } from "@mooring/contract";
import { findFile, resourceOf, restoreFile as restore } from "#domain/files/index.ts";
import { requireSeen, type Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { fileBody } from "../model.ts";
import { callerOf, trashedFor } from "../resources.ts";

export function restoreFile(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.restoreFile> {
  return async ({ params }, context) => {
    const { principal } = context;
    const file = await findFile(deps, principal.orgId, params.file_id);
    if (file !== undefined) {
      requireSeen(principal, "files:write", resourceOf(file));
      return { data: fileBody(file) };
    }
    const { id } = await trashedFor(deps, principal, params.file_id, "files:write");
    return { data: fileBody(await restore(deps, callerOf(context), principal.orgId, id)) };
  };
}
