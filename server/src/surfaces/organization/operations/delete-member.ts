import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { removeMember } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { callerOf, requireOrganization, settled } from "../resources.ts";

export function deleteMember(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.deleteMember> {
  return async ({ params, query }, context) => {
    requireOrganization(context.principal, "members:write");
    await removeMember(deps, callerOf(context), context.principal.orgId, {
      userId: params.user_id,
      transferCredentials: query.transfer_credentials ?? false,
    });
    await settled(deps);
    return undefined;
  };
}
