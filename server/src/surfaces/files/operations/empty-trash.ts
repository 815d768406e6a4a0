import type { FILE_ROUTES } from "@mooring/contract";
import { emptyTrash as empty } from "#domain/files/index.ts";
import type { Operation } from "#http/index.ts";
import type { FilesSurfaceDeps } from "../index.ts";
import { callerOf, placeFor } from "../resources.ts";

export function emptyTrash(deps: FilesSurfaceDeps): Operation<typeof FILE_ROUTES.emptyTrash> {
  return async ({ query: { project } }, context) => {
    const { principal, signal } = context;
    const named = project === undefined ? null : await placeFor(deps, principal, project, "files:delete");
    return { data: await empty(deps, callerOf(context), named ?? undefined, signal) };
  };
}
