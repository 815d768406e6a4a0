import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { archiveProject as archive } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { projectBody } from "../model.ts";
import { callerOf, projectFor, settled } from "../resources.ts";

export function unarchiveProject(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.unarchiveProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    const after = await archive(deps, callerOf(context), project, { archived: false });
    await settled(deps);
    return projectBody(after);
  };
}
