import type { PORTAL_ROUTES } from "@mooring/contract";
import { beginPasskeyProof } from "#domain/people/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";
import { originOf } from "../origin.ts";

/** Each writes a record, so an address, or a browser in which somebody signed in before, may begin so many, and one a second after that. */
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
