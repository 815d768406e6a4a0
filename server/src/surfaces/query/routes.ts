import type { FastifyInstance } from "fastify";
import { QUERY_ROUTES } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { QuerySurfaceDeps } from "./index.ts";
import { query } from "./operations/query.ts";

/** Row → operation. The permission of each stands in the contract's row. */
export function mountQuery(app: FastifyInstance, deps: QuerySurfaceDeps): void {
  mountRoute(app, deps.host, QUERY_ROUTES.query, query(deps));
}
