import { organizationAllows } from "@mooring/contract";
import { lackingOf, parsePolicy, absent } from "#domain/identity/index.ts";
import { allowsPerson, isEnded, standingOf } from "#domain/organizations/index.ts";
import {
  beginPasskeyProof,
  confirm,
  createSessionToken as createToken,
  hasExternalIdentity,
  membershipsOf,
  noticeOf,
  personById,
  securityOf,
  type Membership,
} from "#domain/people/index.ts";
import { suspensionFields, suspensionOf } from "#domain/suspension/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import { sendSession } from "../cookie.ts";
import type { PortalOperation } from "../deps.ts";
import { originOf } from "../origin.ts";

export const getSession: PortalOperation<"getSession"> = async (deps, _input, { session, reply, ip }) => {
  const { clock, metadata } = deps.people;
  const { read } = metadata;
  const { id, userId, email, name, instanceAdmin, method } = session;
  const person = await personById(read, userId);
  const security = await securityOf(read, userId);
  const standing = standingOf(session, security.hasTotp || security.passkeys > 0);
  void reply.header("cache-control", "no-store");
  return {
    user: { id: userId, email, name, instance_admin: instanceAdmin, email_verified: person?.verified_at !== null },
    organizations: (await membershipsOf(read, userId, clock.nowMs())).map(({ policy, valid_after, ...membership }) => {
      const { people, peopleAddresses } = parsePolicy(policy);
      const shown = { ...membership, ...suspensionFields(membership) };
      if (isEnded({ valid_after }, session)) return { ...shown, refused: "new_sign_in_required" as const };
      const isBlocked = blockedOf(membership);
      if (isBlocked !== null) return { ...shown, refused: isBlocked };
      if (!allowsPerson(peopleAddresses, ip)) return { ...shown, refused: "address_not_allowed" as const };
      return { ...shown, refused: lackingOf(people, standing) };
    }),
    session: {
      id,
      method,
      confirmed_at: isoFromMs(session.confirmedAtMs),
      expires_at: isoFromMs(session.expiresAtMs),
    },
    security: {
      has_password: person?.password_hash !== null,
      has_totp: security.hasTotp,
      passkeys: security.passkeys,
      recovery_codes_left: security.recoveryCodesLeft,
      has_identity: await hasExternalIdentity(read, userId),
    },
    notice: await noticeOf(deps.people, session),
    sends_email: deps.mail !== null,
  };
};

/** Whether nobody may use the organization, even if they signed in as it requires. */
function blockedOf(membership: Pick<Membership, "state" | "state_reason">): "organization_blocked" | null {
  return organizationAllows(suspensionOf(membership).state, "sign_in") ? null : "organization_blocked";
}

/** Creates the access token that the portal uses for the public API. */
export const createSessionToken: PortalOperation<"createSessionToken"> = async (
  deps,
  { body },
  { session, reply, ip },
) => {
  const token = await createToken(deps.people, session, body.organization, ip);
  if (token === undefined) throw absent();
  void reply.header("cache-control", "no-store");
  return { access_token: token.accessToken, token_type: "Bearer", expires_in: token.expiresInS };
};

export const beginConfirmation: PortalOperation<"beginConfirmation"> = (deps, _input, { session, request, reply }) => {
  void reply.header("cache-control", "no-store");
  return beginPasskeyProof(deps.people, { kind: "confirmation", userId: session.userId }, request.headers.host);
};

/** Continues the session with a new secret. */
export const confirmSession: PortalOperation<"confirmSession"> = async (deps, { body }, context) => {
  const { session } = context;
  const { secret, confirmedAtMs } = await confirm(deps.people, session, body, originOf(context));
  await sendSession(deps.people, context, secret);
  return { confirmed_at: isoFromMs(confirmedAtMs), id: session.id };
};
