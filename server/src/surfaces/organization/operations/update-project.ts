import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { updateProject as update } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { projectBody, versioned } from "../model.ts";
import { callerOf, projectFor, settled } from "../resources.ts";

export function updateProject(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateProject> {
  return async ({ params, body }, context) => {
    const before = await projectFor(deps, context.principal, params.project_id, "projects:write");
    const project = await update(deps, callerOf(context), before, {
      change: body,
      ifMatch: context.request.headers["if-match"],
    });
    await settled(deps);
    return versioned(context, project, projectBody(project));
  };
}
