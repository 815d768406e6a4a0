import { answering } from "#domain/idempotency/index.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import {
  createRole as create,
  deleteRole as remove,
  listRoles as list,
  roleIn,
  roleVersion,
  updateRole as update,
} from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { pageBody, roleBody, versioned } from "../model.ts";
import { pageOf } from "../query.ts";
import { settled } from "../resources.ts";
import { tellManagers } from "../tell.ts";

export const listRoles: OrganizationOperation<"listRoles"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "org:read");
  return pageBody(await list(deps, principal.orgId, pageOf(query)), roleBody);
};

export const createRole: OrganizationOperation<"createRole"> = async (deps, { body }, context) => {
  requireOrganization(context.principal, "members:write");
  return answering(roleBody, () => create(deps, callerOf(context), context.principal.orgId, body));
};

export const getRole: OrganizationOperation<"getRole"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "org:read");
  const role = await roleIn(deps.metadata.read, context.principal.orgId, params.role_id);
  return versioned(context, roleVersion(role), roleBody(role));
};

export const updateRole: OrganizationOperation<"updateRole"> = async (deps, { params, body }, context) => {
  requireOrganization(context.principal, "members:write");
  const role = await update(deps, callerOf(context), context.principal.orgId, {
    role: params.role_id,
    change: body,
    ifMatch: context.request.headers["if-match"],
    onLosses: tellManagers(deps, context, "a role was changed"),
  });
  await settled(deps);
  return versioned(context, roleVersion(role), roleBody(role));
};

export const deleteRole: OrganizationOperation<"deleteRole"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "members:write");
  await remove(deps, callerOf(context), context.principal.orgId, params.role_id);
  await settled(deps);
  return undefined;
};
