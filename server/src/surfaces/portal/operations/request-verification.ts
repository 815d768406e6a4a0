import type { PORTAL_ROUTES } from "@mooring/contract";
import { createMailedLink, personById } from "#domain/accounts/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { mailResetLink } from "../mails.ts";
import { originOf } from "../origin.ts";
import { requireMail } from "./request-reset.ts";

const TRIES_A_MINUTE = 5;

export function requestVerification(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.requestVerification> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "person", ...limit });
  return async (_input, context) => {
    const { userId } = context.session;
    tries.take(userId);
    requireMail(deps);
    if ((await personById(deps.metadata.read, userId))?.verified_at !== null)
      throw new Problem("conflict", "Your address is proved already.");
    const link = await createMailedLink(deps, { userId }, originOf(context));
    const sent = link === null ? null : await mailResetLink(deps, link, context.request.log);
    if (sent?.failure === null) return;
    throw new Problem(
      "conflict",
      sent?.failure ??
        "No mail was sent: so many were sent to you within the hour, or your address is one that mail can't reach.",
    );
  };
}
