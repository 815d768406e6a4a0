import type { PORTAL_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

/** Nothing that the key signed is accepted from now on, on any node. */
export function retireSigningKey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.retireSigningKey> {
  return ({ params }, { session }) => deps.identity.retireKeyNow(params.kid, { kind: "person", id: session.userId });
}
