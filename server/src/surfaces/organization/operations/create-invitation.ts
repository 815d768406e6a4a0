import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { invite } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { answerLink } from "../invitation-link.ts";
import { callerOf, requireOrganization } from "../resources.ts";

export function createInvitation(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.createInvitation> {
  return async ({ body: { send_email: wantsMail = true, ...input } }, context) => {
    requireOrganization(context.principal, "members:write");
    const made = await invite(deps, callerOf(context), context.principal.orgId, input);
    return answerLink(deps, context, made, wantsMail);
  };
}
