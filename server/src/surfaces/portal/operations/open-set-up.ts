import type { PORTAL_ROUTES } from "@mooring/contract";
import { FailureDelay, failurePlaceOf } from "#domain/identity/index.ts";
import { openSetupLink } from "#domain/organizations/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

/** Whose account the link sets up: the owner reads with which address they will sign in. */
export function openSetUp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.openSetUp> {
  const misses = new FailureDelay(deps.clock);
  return async ({ body }, { ip, reply }) => {
    void reply.header("cache-control", "no-store");
    return misses.countMisses(failurePlaceOf(ip), () => openSetupLink(deps, body.token));
  };
}
