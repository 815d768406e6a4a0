import {
  getOrganization as find,
  organizationVersion,
  updateOrganization as update,
} from "#domain/organizations/index.ts";
import { callerOf } from "#http/index.ts";
import type { OrganizationOperation } from "../deps.ts";
import { organizationBody, versioned } from "../model.ts";
import { requireOrganization } from "#domain/identity/index.ts";
import { settled } from "../resources.ts";

export const getOrganization: OrganizationOperation<"getOrganization"> = async (deps, _input, context) => {
  requireOrganization(context.principal, "org:read");
  const organization = await find(deps, context.principal.orgId);
  return versioned(context, organizationVersion(organization), organizationBody(organization));
};

export const updateOrganization: OrganizationOperation<"updateOrganization"> = async (deps, { body }, context) => {
  const { principal, request } = context;
  requireOrganization(principal, "org:write");
  const organization = await update(deps, callerOf(context), principal.orgId, {
    change: body,
    ifMatch: request.headers["if-match"],
  });
  await settled(deps);
  return versioned(context, organizationVersion(organization), organizationBody(organization));
};
