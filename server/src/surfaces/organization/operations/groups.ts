import { answering } from "#domain/idempotency/index.ts";
import { absent, authorize, explained, requireOrganization, type Principal } from "#domain/identity/index.ts";
import {
  createGroup as create,
  deleteGroup as remove,
  groupIn,
  groupMemberVersion,
  groupVersion,
  listGroupMembers as listMembers,
  listGroups as list,
  listProjectGroups as listOfProject,
  projectFor,
  projectGroupVersion,
  removeGroupMember,
  removeProjectGroup,
  setGroupMember,
  setProjectGroup,
  updateGroup as update,
} from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { groupBody, groupMemberBody, pageBody, projectGroupBody, versioned } from "../model.ts";
import { endOf, pageOf } from "../query.ts";
import { settled } from "../resources.ts";

export const listGroups: OrganizationOperation<"listGroups"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "org:read");
  return pageBody(await list(deps, principal.orgId, pageOf(query)), groupBody);
};

export const createGroup: OrganizationOperation<"createGroup"> = async (deps, { body }, context) => {
  requireOrganization(context.principal, "members:write");
  return answering(groupBody, () => create(deps, callerOf(context), context.principal.orgId, body));
};

export const getGroup: OrganizationOperation<"getGroup"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "org:read");
  const group = await groupIn(deps.metadata.read, context.principal.orgId, params.group_id);
  return versioned(context, groupVersion(group), groupBody(group));
};

export const updateGroup: OrganizationOperation<"updateGroup"> = async (deps, { params, body }, context) => {
  requireOrganization(context.principal, "members:write");
  const change = { group: params.group_id, change: body, ifMatch: context.request.headers["if-match"] };
  const group = await update(deps, callerOf(context), context.principal.orgId, change);
  await settled(deps);
  return versioned(context, groupVersion(group), groupBody(group));
};

export const deleteGroup: OrganizationOperation<"deleteGroup"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "members:write");
  await remove(deps, callerOf(context), context.principal.orgId, params.group_id);
  await settled(deps);
  return undefined;
};

export const listGroupMembers: OrganizationOperation<"listGroupMembers"> = async (
  deps,
  { params, query },
  { principal },
) => {
  requireOrganization(principal, "org:read");
  return pageBody(await listMembers(deps, principal.orgId, params.group_id, pageOf(query)), groupMemberBody);
};

export const putGroupMember: OrganizationOperation<"putGroupMember"> = async (deps, { params, body }, context) => {
  requireOrganization(context.principal, "members:write");
  const member = await setGroupMember(deps, callerOf(context), context.principal.orgId, {
    group: params.group_id,
    userId: params.user_id,
    endsAtMs: endOf(body.expires_at),
    ifMatch: context.request.headers["if-match"],
  });
  await settled(deps);
  return versioned(context, groupMemberVersion(member), groupMemberBody(member));
};

export const deleteGroupMember: OrganizationOperation<"deleteGroupMember"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "members:write");
  const which = { group: params.group_id, userId: params.user_id };
  await removeGroupMember(deps, callerOf(context), context.principal.orgId, which);
  await settled(deps);
  return undefined;
};

export const listProjectGroups: OrganizationOperation<"listProjectGroups"> = async (
  deps,
  { params, query },
  { principal },
) => {
  const project = await projectFor(deps, principal, params.project_id, "projects:read");
  return pageBody(await listOfProject(deps, project, pageOf(query)), projectGroupBody);
};

export const putProjectGroup: OrganizationOperation<"putProjectGroup"> = async (deps, { params, body }, context) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
  requireSeesGroups(context.principal);
  const group = await setProjectGroup(deps, callerOf(context), project, {
    group: params.group_id,
    role: body.role,
    customRole: body.custom_role,
    endsAtMs: endOf(body.expires_at),
    ifMatch: context.request.headers["if-match"],
  });
  await settled(deps);
  return versioned(context, projectGroupVersion(group), projectGroupBody(group));
};

/** A guest, or a credential of a project, does not see the groups of the organization. */
function requireSeesGroups(principal: Principal): void {
  const asked = { principal, permission: "org:read", resource: { orgId: principal.orgId } } as const;
  if (authorize(principal, asked.permission, asked.resource) === "hidden") throw explained(asked, absent());
}

export const deleteProjectGroup: OrganizationOperation<"deleteProjectGroup"> = async (deps, { params }, context) => {
  const project = await projectFor(deps, context.principal, params.project_id, "projects:write");
  await removeProjectGroup(deps, callerOf(context), project, params.group_id);
  await settled(deps);
  return undefined;
};
