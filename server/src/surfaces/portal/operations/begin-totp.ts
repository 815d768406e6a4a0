import type { PORTAL_ROUTES } from "@mooring/contract";
import { beginTotp as begin } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function beginTotp(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.beginTotp> {
  return (_input, { session, reply }) => {
    void reply.header("cache-control", "no-store");
    return begin(deps.people, session);
  };
}
