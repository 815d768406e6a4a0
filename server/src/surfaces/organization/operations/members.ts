import { changeRole, listMembers as list, memberVersion, removeMember } from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { memberBody, pageBody, versioned } from "../model.ts";
import { pageOf } from "../query.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { settled } from "../resources.ts";

export const listMembers: OrganizationOperation<"listMembers"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "org:read");
  return pageBody(await list(deps, principal.orgId, pageOf(query)), memberBody);
};

export const updateMember: OrganizationOperation<"updateMember"> = async (deps, { params, body }, context) => {
  requireOrganization(context.principal, "members:write");
  const ifMatch = context.request.headers["if-match"];
  const change = { userId: params.user_id, role: body.role, ifMatch };
  const member = await changeRole(deps, callerOf(context), context.principal.orgId, change);
  await settled(deps);
  return versioned(context, memberVersion(member), memberBody(member));
};

export const deleteMember: OrganizationOperation<"deleteMember"> = async (deps, { params, query }, context) => {
  requireOrganization(context.principal, "members:write");
  await removeMember(deps, callerOf(context), context.principal.orgId, {
    userId: params.user_id,
    transferCredentials: query.transfer_credentials ?? false,
  });
  await settled(deps);
  return undefined;
};
