import { changeAddress, createMailedLink, personById } from "#domain/accounts/index.ts";
import { addressChangedMail } from "#domain/mail/index.ts";
import { changePassword as change, dismissNotice as dismiss, rename } from "#domain/people/index.ts";
import { createRateLimiter } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { mailResetLink, mailTo } from "../mails.ts";
import { originOf } from "../origin.ts";
import { requireMail } from "./password-reset.ts";

export const updateAccount: PortalOperation<"updateAccount"> = async (deps, { body }, context) => {
  await rename(deps.people, context.session, body.name, originOf(context));
  return { name: body.name };
};

const TRIES_A_MINUTE = 5;

/** Always mails the old address, since its owner may not have made the change. */
export function changeEmail({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"changeEmail"> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock };
  const tries = createRateLimiter({ name: "person", ...limit });
  return async (deps, { body }, context) => {
    const { userId } = context.session;
    tries.take(userId);
    const email = body.email.toLowerCase();
    const origin = originOf(context);
    const { from } = await changeAddress(deps, { userId, email }, origin);
    await mailTo(deps, addressChangedMail(from, { portalUrl: deps.addresses.portal_url, to: email }));
    const link = deps.mail === null ? null : await createMailedLink(deps, { userId }, origin);
    const sent = link === null ? null : await mailResetLink(deps, link);
    return { email, verified: false, mail: sent === null ? null : { failure: sent.failure } };
  };
}

export const changePassword: PortalOperation<"changePassword"> = async (deps, { body }, context) => {
  await change(deps.people, context.session, body.password, originOf(context));
};

export function requestVerification({
  clock,
}: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"requestVerification"> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock };
  const tries = createRateLimiter({ name: "person", ...limit });
  return async (deps, _input, context) => {
    const { userId } = context.session;
    tries.take(userId);
    requireMail(deps);
    if ((await personById(deps.metadata.read, userId))?.verified_at !== null)
      throw new Problem("conflict", "Your address is already verified.");
    const link = await createMailedLink(deps, { userId }, originOf(context));
    const sent = link === null ? null : await mailResetLink(deps, link);
    if (sent?.failure === null) return;
    throw new Problem(
      "conflict",
      sent?.failure ??
        "No mail was sent. Either you got too many mails within the hour, or mail can't reach your address.",
    );
  };
}

export const dismissNotice: PortalOperation<"dismissNotice"> = async (deps, _input, { session }) => {
  await dismiss(deps.people, session);
};
