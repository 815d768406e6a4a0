import type { PORTAL_ROUTES } from "@mooring/contract";
import {
  beginPasskeyProof,
  endSession,
  passkeyPlaceOf,
  signInWithPasskey as byPasskey,
  signInWithPassword as byPassword,
  signInWithRecoveryCode as byRecoveryCode,
  signInWithTotp as byTotp,
} from "#domain/people/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import { answerStep, endCookie } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";

export function getSignInMethods(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.getSignInMethods> {
  return (_input, { request, reply }) => {
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
}

export function signInWithPassword(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.signInWithPassword> {
  return async ({ body }, context) => {
    const origin = originOf(context);
    return answerStep(deps.people, context, await byPassword(deps.people, body, origin), origin);
  };
}

export function signInWithTotp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.signInWithTotp> {
  return async ({ body }, context) => {
    const origin = originOf(context);
    return answerStep(deps.people, context, await byTotp(deps.people, body, origin), origin);
  };
}

export function signInWithRecoveryCode(
  deps: PortalSurfaceDeps,
): Operation<typeof PORTAL_ROUTES.signInWithRecoveryCode> {
  return async ({ body }, context) => {
    const origin = originOf(context);
    return answerStep(deps.people, context, await byRecoveryCode(deps.people, body, origin), origin);
  };
}

/**
 * Each attempt writes a record. So an address, or a browser with an earlier sign-in, may start this many at once, then
 * one a second.
 */
const BEGUN_AT_ONCE = 60;

export function beginPasskeySignIn(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.beginPasskeySignIn> {
  const tries = createRateLimiter({ name: "address", perSecond: 1, burst: BEGUN_AT_ONCE, clock: deps.clock });
  return async (_input, context) => {
    const { request, reply } = context;
    tries.take(deps.people.throttle.placeOf(originOf(context)));
    void reply.header("cache-control", "no-store");
    return beginPasskeyProof(deps.people, { kind: "passkey", userId: null }, request.headers.host);
  };
}

export function signInWithPasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.signInWithPasskey> {
  return async ({ body }, context) => {
    const origin = originOf(context);
    return answerStep(deps.people, context, await byPasskey(deps.people, body, origin), origin);
  };
}

export function signOut(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.signOut> {
  return async (_input, context) => {
    await endSession(deps.people, context.session, { origin: originOf(context), action: "session.sign_out" });
    endCookie(context.reply);
  };
}
