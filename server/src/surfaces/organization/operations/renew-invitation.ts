import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { renewInvitation as renew } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { answerLink } from "../invitation-link.ts";
import { callerOf, requireOrganization } from "../resources.ts";

export function renewInvitation(deps: OrganizationSurfaceDeps): Operation<typeof ORGANIZATION_ROUTES.renewInvitation> {
  return async ({ params, body }, context) => {
    requireOrganization(context.principal, "members:write");
    const made = await renew(deps, callerOf(context), context.principal.orgId, params.invitation_id);
    void context.reply.header("cache-control", "no-store");
    return answerLink(deps, context, made, body.send_email ?? true);
  };
}
