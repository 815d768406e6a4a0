import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { revokeInvitation as revoke } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { callerOf, requireOrganization } from "../resources.ts";

export function revokeInvitation(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.revokeInvitation> {
  return async ({ params }, context) => {
    requireOrganization(context.principal, "members:write");
    await revoke(deps, callerOf(context), context.principal.orgId, params.invitation_id);
    return undefined;
  };
}
