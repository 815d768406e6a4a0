import type { PORTAL_ROUTES } from "@mooring/contract";
import { openAccountLink } from "#domain/accounts/index.ts";
import { resetPassword as reset } from "#domain/people/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import { answerStep } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { tellProved, tellReset } from "../mails.ts";
import { originOf } from "../origin.ts";

const TRIES_A_MINUTE = 10;

export function resetPassword(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.resetPassword> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "address", ...limit });
  return async ({ body }, context) => {
    tries.take(context.ip);
    await openAccountLink(deps, body.token); // before the password is hashed, which is what costs
    const origin = originOf(context);
    const { step, email, ended } = await reset(deps.people, body, origin);
    const { log } = context.request;
    if (ended === null) await tellReset(deps, email, log);
    else await tellProved(deps, { email, ended }, log);
    return answerStep(deps.people, context, step, origin);
  };
}
