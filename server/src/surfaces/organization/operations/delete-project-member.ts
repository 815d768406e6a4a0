import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { removeProjectMember } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { callerOf, projectFor, settled } from "../resources.ts";

export function deleteProjectMember(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.deleteProjectMember> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    await removeProjectMember(deps, callerOf(context), project, params.user_id);
    await settled(deps);
    return undefined;
  };
}
