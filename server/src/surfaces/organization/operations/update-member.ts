import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { changeRole, memberVersion } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { memberBody, versioned } from "../model.ts";
import { callerOf, requireOrganization, settled } from "../resources.ts";

export function updateMember(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.updateMember> {
  return async ({ params, body }, context) => {
    requireOrganization(context.principal, "members:write");
    const ifMatch = context.request.headers["if-match"];
    const change = { userId: params.user_id, role: body.role, ifMatch };
    const member = await changeRole(deps, callerOf(context), context.principal.orgId, change);
    await settled(deps);
    return versioned(context, memberVersion(member), memberBody(member));
  };
}
