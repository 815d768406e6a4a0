import type { PORTAL_ROUTES } from "@mooring/contract";
import { openAccountLink } from "#domain/accounts/index.ts";
import { FailureDelay, failurePlaceOf } from "#domain/identity/index.ts";
import { secondFactorsOf } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function openReset(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.openReset> {
  const misses = new FailureDelay(deps.clock);
  return async ({ body }, { ip, reply }) => {
    void reply.header("cache-control", "no-store");
    const { person, clearsSecondFactor } = await misses.countMisses(failurePlaceOf(ip), () =>
      openAccountLink(deps, body.token),
    );
    const isFirst = person.verified_at === null;
    const has = (await secondFactorsOf(deps.metadata.read, person.id)).length > 0;
    const factor = isFirst || clearsSecondFactor ? "ends" : "required";
    return { email: person.email, first_proof: isFirst, second_factor: has ? factor : "none" };
  };
}
