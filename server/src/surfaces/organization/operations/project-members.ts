import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import {
  listProjectMembers as list,
  memberVersion,
  removeProjectMember,
  setProjectMember,
  projectFor,
} from "#domain/organizations/index.ts";
import { type Operation, callerOf } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../deps.ts";
import { pageBody, projectMemberBody, versioned } from "../model.ts";
import { pageOf } from "../query.ts";
import { settled } from "../resources.ts";

export function listProjectMembers(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.listProjectMembers> {
  return async ({ params, query }, { principal }) => {
    const project = await projectFor(deps, principal, params.project_id, "projects:read");
    return pageBody(await list(deps, project, pageOf(query)), projectMemberBody);
  };
}

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
