import type { PORTAL_ROUTES } from "@mooring/contract";
import { changeAddress, createMailedLink } from "#domain/accounts/index.ts";
import { addressChangedMail } from "#domain/mail/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { mailResetLink, mailTo } from "../mails.ts";
import { originOf } from "../origin.ts";

const TRIES_A_MINUTE = 5;

/** The old address is told whoever asked: its owner may not have. */
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
