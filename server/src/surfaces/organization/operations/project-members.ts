import {
  listProjectMembers as list,
  memberVersion,
  removeProjectMember,
  setProjectMember,
  projectFor,
} from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { pageBody, projectMemberBody, versioned } from "../model.ts";
import { endOf, pageOf } from "../query.ts";
import { settled } from "../resources.ts";

export const listProjectMembers: OrganizationOperation<"listProjectMembers"> = async (
  deps,
  { params, query },
  { principal },
) => {
  const project = await projectFor(deps, principal, params.project_id, "projects:read");
  return pageBody(await list(deps, project, pageOf(query)), projectMemberBody);
};

export const putProjectMember: OrganizationOperation<"putProjectMember"> = async (deps, { params, body }, context) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
  const member = await setProjectMember(deps, callerOf(context), project, {
    userId: params.user_id,
    role: body.role,
    endsAtMs: endOf(body.expires_at),
    ifMatch: context.request.headers["if-match"],
  });
  await settled(deps);
  return versioned(context, memberVersion(member), projectMemberBody(member));
};

export const deleteProjectMember: OrganizationOperation<"deleteProjectMember"> = async (deps, { params }, context) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
  await removeProjectMember(deps, callerOf(context), project, params.user_id);
  await settled(deps);
  return undefined;
};
