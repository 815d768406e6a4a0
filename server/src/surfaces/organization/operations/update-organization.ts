import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { updateOrganization as update } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { organizationBody, versioned } from "../model.ts";
import { callerOf, requireOrganization, settled } from "../resources.ts";

export function updateOrganization(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.updateOrganization> {
  return async ({ body }, context) => {
    const { principal, request } = context;
    requireOrganization(principal, "org:write");
    const organization = await update(deps, callerOf(context), principal.orgId, {
      change: body,
      ifMatch: request.headers["if-match"],
    });
    await settled(deps);
    return versioned(context, organization, organizationBody(organization));
  };
}
