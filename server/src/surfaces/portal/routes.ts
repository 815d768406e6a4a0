import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DISCOVERY_ROUTES } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { PortalSurfaceDeps } from "./index.ts";
import { getAddresses } from "./operations/get-addresses.ts";
import { openPages, PAGE_PATHS, type Page } from "./pages.ts";
import { mountRows } from "./rows.ts";

/** Row → operation, and address → page. The pages are public: they hold nothing but words. */
export async function mountPortal(app: FastifyInstance, deps: PortalSurfaceDeps): Promise<void> {
  mountRoute(app, deps.host, DISCOVERY_ROUTES.getAddresses, getAddresses(deps));
  mountRows(app, deps);
  const pages = await openPages(deps.portalDir ?? undefined);
  for (const path of PAGE_PATHS) app.get(path, (request, reply) => sendPage(request, reply, pages.document()));
  for (const path of ["/portal/assets/*", "/favicon.svg"])
    app.get(path, (request, reply) => {
      const name = new URL(request.url, "http://portal").pathname.slice(1);
      const page = pages.asset(name, request.headers["accept-encoding"] ?? "");
      if (page === undefined) throw new Problem("not_found", "There is nothing at this address.");
      return sendPage(request, reply, page);
    });
}

function sendPage(request: FastifyRequest, reply: FastifyReply, { headers, body, etag }: Page): FastifyReply {
  void reply.headers(headers);
  if (etag === undefined) return reply.send(body);
  void reply.header("etag", etag);
  return request.headers["if-none-match"] === etag ? reply.code(304).send() : reply.send(body);
}
