import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { invite } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { invitationBody } from "../model.ts";
import { callerOf, requireOrganization } from "../resources.ts";

export function createInvitation(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.createInvitation> {
  return async ({ body }, context) => {
    requireOrganization(context.principal, "members:write");
    const { invitation, token } = await invite(deps, callerOf(context), context.principal.orgId, body);
    // In the fragment, which a browser sends to no server.
    return {
      ...invitationBody(invitation, deps.clock.nowMs()),
      link: `${deps.addresses.portal_url}/invitation#${token}`,
    };
  };
}
