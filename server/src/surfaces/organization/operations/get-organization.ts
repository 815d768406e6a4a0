import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { getOrganization as find } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { organizationBody, versioned } from "../model.ts";
import { requireOrganization } from "../resources.ts";

export function getOrganization(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.getOrganization> {
  return async (_input, context) => {
    requireOrganization(context.principal, "org:read");
    const organization = await find(deps, context.principal.orgId);
    return versioned(context, organization, organizationBody(organization));
  };
}
