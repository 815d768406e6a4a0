import type { PORTAL_ROUTES } from "@mooring/contract";
import { acceptInvitationAs, invitationHash } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

/** For those who have no password, too: the session says who they are. */
export function acceptInvitationSignedIn(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.acceptInvitationSignedIn> {
  return async ({ body }, { session, ip, requestId }) => {
    const { organization, role } = await acceptInvitationAs(deps, invitationHash(body.token), session, {
      ip,
      requestId,
    });
    return { organization: { id: organization.id, slug: organization.slug, name: organization.name }, role };
  };
}
