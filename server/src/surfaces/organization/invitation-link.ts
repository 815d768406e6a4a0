import type { ORGANIZATION_ROUTES, ResultOf } from "@mooring/contract";
import { invitationMail } from "#domain/mail/index.ts";
import {
  createMailedToken,
  getOrganization,
  invitationMailed,
  type MadeInvitation,
} from "#domain/organizations/index.ts";
import type { OperationContext } from "#http/index.ts";
import type { OrganizationSurfaceDeps } from "./deps.ts";
import { invitationBody } from "./model.ts";

type Body = ResultOf<typeof ORGANIZATION_ROUTES.createInvitation>;

/** Answers with a new link, after mailing it to the person if the caller wants that and mail is set up. */
export async function answerLink(
  deps: OrganizationSurfaceDeps,
  { principal }: Pick<OperationContext, "principal">,
  made: MadeInvitation,
  wantsMail: boolean,
): Promise<Body> {
  let { invitation } = made;
  if (deps.mail !== null && wantsMail) {
    const { name: organization } = await getOrganization(deps, principal.orgId);
    const inviter = principal.kind === "person" ? principal.email : null;
    const { role, expires_at: expiresAtMs } = invitation;
    const link = linkOf(deps, await createMailedToken(deps, invitation));
    const message = invitationMail(invitation.email, { organization, role, inviter, link, expiresAtMs });
    const sent = await deps.mail.send({ message, expiresAtMs, invitationId: invitation.id });
    invitation = invitationMailed(deps, invitation, sent);
  }
  return linkBody(deps, { ...made, invitation });
}

export function linkBody(deps: OrganizationSurfaceDeps, { invitation, token }: MadeInvitation): Body {
  return { ...invitationBody(invitation, deps.clock.nowMs()), link: linkOf(deps, token) };
}

/** The token is in the fragment, which browsers do not send to a server. */
function linkOf(deps: OrganizationSurfaceDeps, token: string): string {
  return `${deps.addresses.portal_url}/invitation#${token}`;
}
