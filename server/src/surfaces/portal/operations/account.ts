import type { PORTAL_ROUTES } from "@mooring/contract";
import { changeAddress, createMailedLink, personById } from "#domain/accounts/index.ts";
import { addressChangedMail } from "#domain/mail/index.ts";
import { changePassword as change, dismissNotice as dismiss, rename } from "#domain/people/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "../deps.ts";
import { mailResetLink, mailTo } from "../mails.ts";
import { originOf } from "../origin.ts";
import { requireMail } from "./password-reset.ts";

export function updateAccount(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.updateAccount> {
  return async ({ body }, context) => {
    await rename(deps.people, context.session, body.name, originOf(context));
    return { name: body.name };
  };
}

const TRIES_A_MINUTE = 5;

/** Always mails the old address, since its owner may not have made the change. */
export function changeEmail(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.changeEmail> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "person", ...limit });
  return async ({ body }, context) => {
    const { userId } = context.session;
    tries.take(userId);
    const email = body.email.toLowerCase();
    const origin = originOf(context);
    const { from } = await changeAddress(deps, { userId, email }, origin);
    const { log } = context.request;
    await mailTo(deps, addressChangedMail(from, { portalUrl: deps.addresses.portal_url, to: email }), log);
    const link = deps.mail === null ? null : await createMailedLink(deps, { userId }, origin);
    const sent = link === null ? null : await mailResetLink(deps, link, log);
    return { email, verified: false, mail: sent === null ? null : { failure: sent.failure } };
  };
}

export function changePassword(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.changePassword> {
  return async ({ body }, context) => {
    await change(deps.people, context.session, body.password, originOf(context));
  };
}

export function requestVerification(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.requestVerification> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "person", ...limit });
  return async (_input, context) => {
    const { userId } = context.session;
    tries.take(userId);
    requireMail(deps);
    if ((await personById(deps.metadata.read, userId))?.verified_at !== null)
      throw new Problem("conflict", "Your address is already verified.");
    const link = await createMailedLink(deps, { userId }, originOf(context));
    const sent = link === null ? null : await mailResetLink(deps, link, context.request.log);
    if (sent?.failure === null) return;
    throw new Problem(
      "conflict",
      sent?.failure ??
        "No mail was sent. Either you got too many mails within the hour, or mail can't reach your address.",
    );
  };
}

export function dismissNotice(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.dismissNotice> {
  return async (_input, { session }) => {
    await dismiss(deps.people, session);
  };
}
