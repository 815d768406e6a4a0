import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DISCOVERY_ROUTES } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { PortalSurfaceDeps } from "./index.ts";
import { getAddresses } from "./operations/get-addresses.ts";
import { loadPages, PAGE_HEADERS, type Page } from "./pages.ts";
import { mountRows } from "./rows.ts";

/** Row → operation, and address → page. The pages are public: they hold nothing but words. */
export async function mountPortal(app: FastifyInstance, deps: PortalSurfaceDeps): Promise<void> {
  mountRoute(app, deps.host, DISCOVERY_ROUTES.getAddresses, getAddresses(deps));
  mountRows(app, deps);
  for (const [path, page] of await loadPages(deps.addresses)) {
    app.get(path, (request, reply) => sendPage(request, reply, page));
  }
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: Page): FastifyReply {
  void reply.headers({ ...PAGE_HEADERS, etag: page.etag });
  if (request.headers["if-none-match"] === page.etag) return reply.code(304).send();
  return reply.header("content-type", page.type).send(page.body);
}
