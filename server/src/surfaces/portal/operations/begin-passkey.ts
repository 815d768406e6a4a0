import type { PORTAL_ROUTES } from "@mooring/contract";
import { beginPasskey as begin } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../index.ts";

export function beginPasskey(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.beginPasskey> {
  return (_input, { session, request, reply }) => {
    void reply.header("cache-control", "no-store");
    return begin(deps.people, session, request.headers.host);
  };
}
