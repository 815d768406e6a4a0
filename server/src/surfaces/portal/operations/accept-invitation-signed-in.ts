import type { PORTAL_ROUTES } from "@mooring/contract";
import { acceptInvitationAs, invitationHash } from "#domain/organizations/index.ts";
import type { Ended } from "#domain/accounts/index.ts";
import { beginSession } from "#domain/people/index.ts";
import type { Operation, OperationContext } from "#http/index.ts";
import { sendSession } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { tellProved } from "../mails.ts";
import { originOf } from "../origin.ts";

/** For those who have no password, too: the session says who they are. */
export function acceptInvitationSignedIn(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.acceptInvitationSignedIn> {
  return async ({ body }, context) => {
    const { session } = context;
    const origin = originOf(context);
    const who = { email: session.email, name: session.name, bySession: true };
    const accepted = await acceptInvitationAs(deps, invitationHash(body.token), who, origin);
    const { organization, role, ended } = accepted;
    if (accepted.isFirstProof) await goOn(deps, context, ended);
    return { organization: { id: organization.id, slug: organization.slug, name: organization.name }, role };
  };
}

/** The first proof of the address ended this session with all that was from before; whoever is here has just given that proof. */
async function goOn(deps: PortalSurfaceDeps, context: OperationContext, ended: Ended | null): Promise<void> {
  const { userId, method, email } = context.session;
  const begin = { method, origin: originOf(context), ended };
  const secret = await deps.metadata.write((tx) => beginSession(deps.people, tx, userId, begin));
  await sendSession(deps.people, context, secret);
  await tellProved(deps, ended === null ? null : { email, ended }, context.request.log);
}
