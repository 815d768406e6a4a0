import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { listInvitations as list } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { invitationBody, pageBody } from "../model.ts";
import { pageOf } from "../query.ts";
import { requireOrganization } from "../resources.ts";

export function listInvitations(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.listInvitations> {
  return async ({ query }, { principal }) => {
    requireOrganization(principal, "members:write");
    const nowMs = deps.clock.nowMs();
    return pageBody(await list(deps, principal.orgId, pageOf(query)), (invitation) =>
      invitationBody(invitation, nowMs),
    );
  };
}
