import type { PORTAL_ROUTES } from "@mooring/contract";
import { openAccountLink } from "#domain/accounts/index.ts";
import { secondFactorsOf } from "#domain/people/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

const TRIES_A_MINUTE = 30;

export function openReset(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.openReset> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "address", ...limit });
  return async ({ body }, { ip, reply }) => {
    tries.take(ip);
    void reply.header("cache-control", "no-store");
    const { person, clearsSecondFactor } = await openAccountLink(deps, body.token);
    const isFirst = person.verified_at === null;
    const has = (await secondFactorsOf(deps.metadata.read, person.id)).length > 0;
    const factor = isFirst || clearsSecondFactor ? "ends" : "required";
    return { email: person.email, first_proof: isFirst, second_factor: has ? factor : "none" };
  };
}
