import { answering } from "#domain/idempotency/index.ts";
import type { ORGANIZATION_ROUTES } from "@mooring/contract";
import { invite, type MadeInvitation } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "../index.ts";
import { answerLink, linkBody } from "../invitation-link.ts";
import { callerOf, requireOrganization } from "../resources.ts";

export function createInvitation(
  deps: OrganizationSurfaceDeps,
): Operation<typeof ORGANIZATION_ROUTES.createInvitation> {
  return async ({ body: { send_email: wantsMail = true, ...input } }, context) => {
    requireOrganization(context.principal, "members:write");
    let made: MadeInvitation | undefined;
    // What is kept says that nothing was sent: that is so until it was, and a crash between the two leaves the link to hand on.
    const unsent = await answering(
      (invited: MadeInvitation) => linkBody(deps, (made = invited)),
      () => invite(deps, callerOf(context), context.principal.orgId, input),
    );
    return made === undefined ? unsent : answerLink(deps, context, made, wantsMail);
  };
}
