import type { Ended } from "#domain/accounts/index.ts";
import { FailureDelay, failurePlaceOf } from "#domain/identity/index.ts";
import { acceptInvitationAs, invitationHash, openInvitation } from "#domain/organizations/index.ts";
import { beginSession } from "#domain/people/index.ts";
import { SESSION_COOKIE, cookieOf, createRateLimiter, type OperationContext } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { Problem } from "#kernel/problem.ts";
import { sendSession } from "../cookie.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { mailVerified } from "../mails.ts";
import { originOf } from "../origin.ts";
import { requireProvider, toProvider } from "../to-provider.ts";

/** Accepts an invitation by the session, so people without a password can accept too. */
export const acceptInvitationSignedIn: PortalOperation<"acceptInvitationSignedIn"> = async (
  deps,
  { body },
  context,
) => {
  const { session } = context;
  const origin = originOf(context);
  const who = { email: session.email, name: session.name, bySession: true };
  const accepted = await acceptInvitationAs(deps, invitationHash(body.token), who, origin);
  const { organization, role, ended } = accepted;
  if (accepted.isFirstProof) await goOn(deps, context, ended);
  return { organization: { id: organization.id, slug: organization.slug, name: organization.name }, role };
};

/**
 * The first verification of the address ended this session, with every older way to sign in. The caller has just proved
 * the address, so they get a new session.
 */
async function goOn(deps: PortalSurfaceDeps, context: OperationContext, ended: Ended | null): Promise<void> {
  const { userId, method, email } = context.session;
  const begin = { method, origin: originOf(context), ended };
  const secret = await deps.metadata.write((tx) => beginSession(deps.people, tx, userId, begin));
  await sendSession(deps.people, context, secret);
  await mailVerified(deps, ended === null ? null : { email, ended });
}

const TRIES_A_MINUTE = 10;
const AT = "Open the link of the invitation";

/** Sends the invitation's token in the body, never in an address. The attempt stores its hash. */
export function beginInvitationWithOidc({
  clock,
}: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"beginInvitationWithOidc"> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock };
  const tries = createRateLimiter({ name: "invitation", ...limit });
  const misses = new FailureDelay(clock);
  return async (deps, { body }, context) => {
    const { ip, request } = context;
    tries.take(sha256Hex(body.token));
    requireProvider(deps, request.headers.host, AT);
    const { tokenHash, organization, hasAccount } = await misses.countMisses(failurePlaceOf(ip), () =>
      openInvitation(deps, body.token),
    );
    if (!hasAccount && body.name === undefined)
      throw new Problem("invalid_body", "A new account needs a name.", {
        errors: [{ pointer: "/name", detail: "is required" }],
      });
    const again = cookieOf(request, SESSION_COOKIE) !== undefined;
    const invited = { tokenHash, name: body.name ?? null };
    return toProvider(deps, context, { at: AT, asked: { returnTo: `/o/${organization}/-`, again, invited } });
  };
}
