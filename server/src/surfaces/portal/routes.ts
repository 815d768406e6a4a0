import type { FastifyInstance } from "fastify";
import { DISCOVERY_ROUTES, PORTAL_ROUTES } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { PortalSurfaceDeps } from "./index.ts";
import { getAddresses } from "./operations/get-addresses.ts";
import { setUp } from "./operations/set-up.ts";
import { loadPages, sendPage } from "./pages.ts";

/** Row → operation, and address → page. The pages are public: they hold nothing but words. */
export async function mountPortal(app: FastifyInstance, deps: PortalSurfaceDeps): Promise<void> {
  mountRoute(app, deps.host, DISCOVERY_ROUTES.getAddresses, getAddresses(deps));
  mountRoute(app, deps.host, PORTAL_ROUTES.setUp, setUp(deps));
  for (const [path, page] of await loadPages(deps.addresses)) {
    app.get(path, (request, reply) => sendPage(request, reply, page));
  }
}
