import type { DISCOVERY_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../deps.ts";

export function getAddresses(deps: PortalSurfaceDeps): Operation<typeof DISCOVERY_ROUTES.getAddresses> {
  return (_input, { reply }) => {
    void reply.header("cache-control", "max-age=300");
    return deps.addresses;
  };
}
