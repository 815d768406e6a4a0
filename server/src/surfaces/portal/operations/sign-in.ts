import {
  beginPasskeyProof,
  endSession,
  passkeyPlaceOf,
  signInWithPasskey as byPasskey,
  signInWithPassword as byPassword,
  signInWithRecoveryCode as byRecoveryCode,
  signInWithTotp as byTotp,
} from "#domain/people/index.ts";
import { createRateLimiter } from "#http/index.ts";
import { answerStep, endCookie } from "../cookie.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";

export const getSignInMethods: PortalOperation<"getSignInMethods"> = (deps, _input, { request, reply }) => {
  const { portal, provider } = deps.people;
  const passkeys = passkeyPlaceOf(portal, request.headers.host) !== undefined;
  void reply.header("cache-control", "no-store");
  return {
    passkeys,
    passkey_url: passkeys ? null : portal.localhostOrigin,
    oidc: provider === null ? null : { name: provider.settings.name },
    sends_email: deps.mail !== null,
  };
};

export const signInWithPassword: PortalOperation<"signInWithPassword"> = async (deps, { body }, context) => {
  const origin = originOf(context);
  return answerStep(deps.people, context, await byPassword(deps.people, body, origin), origin);
};

export const signInWithTotp: PortalOperation<"signInWithTotp"> = async (deps, { body }, context) => {
  const origin = originOf(context);
  return answerStep(deps.people, context, await byTotp(deps.people, body, origin), origin);
};

export const signInWithRecoveryCode: PortalOperation<"signInWithRecoveryCode"> = async (deps, { body }, context) => {
  const origin = originOf(context);
  return answerStep(deps.people, context, await byRecoveryCode(deps.people, body, origin), origin);
};

/**
 * Each attempt writes a record. So an address, or a browser with an earlier sign-in, may start this many at once, then
 * one a second.
 */
const BEGUN_AT_ONCE = 60;

export function beginPasskeySignIn({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"beginPasskeySignIn"> {
  const tries = createRateLimiter({ name: "address", perSecond: 1, burst: BEGUN_AT_ONCE, clock: clock });
  return async (deps, _input, context) => {
    const { request, reply } = context;
    tries.take(deps.people.throttle.placeOf(originOf(context)));
    void reply.header("cache-control", "no-store");
    return beginPasskeyProof(deps.people, { kind: "passkey", userId: null }, request.headers.host);
  };
}

export const signInWithPasskey: PortalOperation<"signInWithPasskey"> = async (deps, { body }, context) => {
  const origin = originOf(context);
  return answerStep(deps.people, context, await byPasskey(deps.people, body, origin), origin);
};

export const signOut: PortalOperation<"signOut"> = async (deps, _input, context) => {
  await endSession(deps.people, context.session, { origin: originOf(context), action: "session.sign_out" });
  endCookie(context.reply);
};
