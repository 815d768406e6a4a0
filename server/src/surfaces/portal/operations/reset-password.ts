import type { PORTAL_ROUTES } from "@mooring/contract";
import { openAccountLink } from "#domain/accounts/index.ts";
import { FailureDelay, failurePlaceOf } from "#domain/identity/index.ts";
import { resetPassword as reset } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { answerStep } from "../cookie.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { tellProved, tellReset } from "../mails.ts";
import { originOf } from "../origin.ts";

export function resetPassword(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.resetPassword> {
  const misses = new FailureDelay(deps.clock);
  return async ({ body }, context) => {
    // Before the password is hashed, which is what costs.
    await misses.countMisses(failurePlaceOf(context.ip), () => openAccountLink(deps, body.token));
    const origin = originOf(context);
    const { step, email, ended } = await reset(deps.people, body, origin);
    const { log } = context.request;
    if (ended === null) await tellReset(deps, email, log);
    else await tellProved(deps, { email, ended }, log);
    return answerStep(deps.people, context, step, origin);
  };
}
