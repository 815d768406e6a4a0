import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { deleteProject as remove } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { callerOf, projectFor, settled } from "../resources.ts";

export function deleteProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    await remove(deps, callerOf(context), project);
    await settled(deps);
    return undefined;
  };
}
