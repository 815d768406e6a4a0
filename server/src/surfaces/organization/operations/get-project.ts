import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { projectBody, versioned } from "../model.ts";
import { projectFor } from "../resources.ts";

export function getProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getProject> {
  return async ({ params }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:read");
    return versioned(context, project, projectBody(project));
  };
}
