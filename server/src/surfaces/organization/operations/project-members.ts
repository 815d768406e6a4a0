import {
  listProjectMembers as list,
  memberVersion,
  planProjectMember,
  planProjectRemoval,
  removeProjectMember,
  setProjectMember,
  projectFor,
} from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { pageBody, projectMemberBody, versioned } from "../model.ts";
import { sendPlan } from "../plan.ts";
import { endOf, pageOf } from "../query.ts";
import { settled } from "../resources.ts";
import { tellManagers } from "../tell.ts";

export const listProjectMembers: OrganizationOperation<"listProjectMembers"> = async (
  deps,
  { params, query },
  { principal },
) => {
  const project = await projectFor(deps, principal, params.project_id, "projects:read");
  return pageBody(await list(deps, project, pageOf(query)), projectMemberBody);
};

export const putProjectMember: OrganizationOperation<"putProjectMember"> = async (
  deps,
  { params, query, body },
  context,
) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
  const { role, custom_role: customRole, expires_at: end } = body;
  const change = {
    userId: params.user_id,
    role,
    customRole,
    endsAtMs: endOf(end),
    ifMatch: context.request.headers["if-match"],
    orphans: query.orphans,
    onLosses: tellManagers(deps, context, "a member of a project was changed"),
  };
  if (query.dry_run === true)
    return sendPlan(deps, context, await planProjectMember(deps, callerOf(context), project, change));
  const member = await setProjectMember(deps, callerOf(context), project, change);
  await settled(deps);
  return versioned(context, memberVersion(member), projectMemberBody(member));
};

export const deleteProjectMember: OrganizationOperation<"deleteProjectMember"> = async (
  deps,
  { params, query },
  context,
) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
  const ifMatch = context.request.headers["if-match"];
  const onLosses = tellManagers(deps, context, "a member was removed from a project");
  const removal = { userId: params.user_id, ifMatch, orphans: query.orphans, onLosses };
  if (query.dry_run === true)
    return sendPlan(deps, context, await planProjectRemoval(deps, callerOf(context), project, removal));
  await removeProjectMember(deps, callerOf(context), project, removal);
  await settled(deps);
  return undefined;
};
