import type { FastifyInstance } from "fastify";
import { DISCOVERY_ROUTES } from "@mooring/contract";
import { mountRoutes } from "#http/index.ts";
import type { ApiSurfaceDeps } from "./deps.ts";
import { getApiDocument } from "./operations/document.ts";

/** Mounts the operation of each row. */
export function mountApi(app: FastifyInstance, deps: ApiSurfaceDeps): void {
  const { getApiDocument: row } = DISCOVERY_ROUTES;
  mountRoutes(app, deps, { getApiDocument: row }, { getApiDocument: getApiDocument(deps) });
}
