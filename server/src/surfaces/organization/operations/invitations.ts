import { answering } from "#domain/idempotency/index.ts";
import { FailureDelay, failurePlaceOf, requireOrganization } from "#domain/identity/index.ts";
import { addressVerifiedMail } from "#domain/mail/index.ts";
import {
  acceptInvitation as accept,
  invite,
  listInvitations as list,
  renewInvitation as renew,
  revokeInvitation as revoke,
  type MadeInvitation,
} from "#domain/organizations/index.ts";
import { callerOf, createRateLimiter } from "#http/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import type { OrganizationOperation, OrganizationSurfaceDeps } from "../deps.ts";
import { answerLink, linkBody } from "../invitation-link.ts";
import { invitationBody, pageBody } from "../model.ts";
import { endOf, pageOf } from "../query.ts";

export const listInvitations: OrganizationOperation<"listInvitations"> = async (deps, { query }, { principal }) => {
  requireOrganization(principal, "members:write");
  const nowMs = deps.clock.nowMs();
  return pageBody(await list(deps, principal.orgId, pageOf(query)), (invitation) => invitationBody(invitation, nowMs));
};

export const createInvitation: OrganizationOperation<"createInvitation"> = async (
  deps,
  { body: { send_email: wantsMail = true, membership_expires_at: end, custom_role: customRole, ...person } },
  context,
) => {
  requireOrganization(context.principal, "members:write");
  const input = { ...person, customRole, membershipEndsAtMs: endOf(end) ?? null };
  let made: MadeInvitation | undefined;
  // The stored answer says that no mail was sent. That is true until the mail is sent. After a crash in between, the
  // inviter still has the link.
  const unsent = await answering(
    (invited: MadeInvitation) => linkBody(deps, (made = invited)),
    () => invite(deps, callerOf(context), context.principal.orgId, input),
  );
  return made === undefined ? unsent : answerLink(deps, context, made, wantsMail);
};

export const renewInvitation: OrganizationOperation<"renewInvitation"> = async (deps, { params, body }, context) => {
  requireOrganization(context.principal, "members:write");
  const made = await renew(deps, callerOf(context), context.principal.orgId, params.invitation_id);
  void context.reply.header("cache-control", "no-store");
  return answerLink(deps, context, made, body.send_email ?? true);
};

export const revokeInvitation: OrganizationOperation<"revokeInvitation"> = async (deps, { params }, context) => {
  requireOrganization(context.principal, "members:write");
  await revoke(deps, callerOf(context), context.principal.orgId, params.invitation_id);
  return undefined;
};

const TRIES_A_MINUTE = 10;

/**
 * Public, and it may check the password of an existing account, so tries with a right link are counted for that link. A
 * caller with wrong links has to wait, but does not delay a right link from the same address.
 */
export function acceptInvitation({
  clock,
}: Pick<OrganizationSurfaceDeps, "clock">): OrganizationOperation<"acceptInvitation"> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock };
  const misses = new FailureDelay(clock);
  const byInvitation = createRateLimiter({ name: "invitation", ...limit });
  return async (deps, { body }, { ip, requestId, reply }) => {
    byInvitation.take(sha256Hex(body.token));
    const { organization, person, role, ended } = await misses.countMisses(failurePlaceOf(ip), () =>
      accept(deps, body, { ip, requestId }),
    );
    void reply.header("cache-control", "no-store");
    if (deps.mail !== null && ended !== null) {
      const message = addressVerifiedMail(person.email, { portalUrl: deps.addresses.portal_url, ended });
      await deps.mail.send({ message });
    }
    return {
      organization: { id: organization.id, slug: organization.slug, name: organization.name },
      user: { id: person.id, email: person.email, name: person.name },
      role,
      ended,
    };
  };
}
