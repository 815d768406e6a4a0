import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { memberVersion, setProjectMember } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { projectMemberBody, versioned } from "../model.ts";
import { callerOf, projectFor, settled } from "../resources.ts";

export function putProjectMember(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.putProjectMember> {
  return async ({ params, body }, context) => {
    const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
    const member = await setProjectMember(deps, callerOf(context), project, {
      userId: params.user_id,
      role: body.role,
      ifMatch: context.request.headers["if-match"],
    });
    await settled(deps);
    return versioned(context, memberVersion(member), projectMemberBody(member));
  };
}
