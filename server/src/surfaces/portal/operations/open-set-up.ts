import type { PORTAL_ROUTES } from "@mooring/contract";
import { openSetupLink } from "#domain/organizations/index.ts";
import { createRateLimiter, type Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

const TRIES_A_MINUTE = 30;

/** Whose account the link sets up: the owner reads with which address they will sign in. */
export function openSetUp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.openSetUp> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock: deps.clock };
  const tries = createRateLimiter({ name: "address", ...limit });
  return async ({ body }, { ip, reply }) => {
    tries.take(ip);
    void reply.header("cache-control", "no-store");
    return openSetupLink(deps, body.token);
  };
}
