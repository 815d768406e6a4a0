import type { DISCOVERY_ROUTES } from "@mooring/contract";
import type { Operation } from "#http/index.ts";
import type { PortalSurfaceDeps } from "../deps.ts";

export const getAddresses: Operation<PortalSurfaceDeps, typeof DISCOVERY_ROUTES.getAddresses> = (
  deps,
  _input,
  { reply },
) => {
  void reply.header("cache-control", "max-age=300");
  return deps.addresses;
};
