import type { FastifyInstance } from "fastify";
import { QUERY_ROUTES, RUNNING_QUERY_ROUTES, SAVED_QUERY_ROUTES } from "@mooring/contract";
import { mountRoutes } from "#http/index.ts";
import type { QuerySurfaceDeps } from "./deps.ts";
import * as runningQueries from "./operations/running-queries.ts";
import * as savedQueries from "./operations/saved-queries.ts";
import * as schema from "./operations/schema.ts";
import * as query from "./operations/query.ts";

/** Every row of the contract. */
export function mountQuery(app: FastifyInstance, deps: QuerySurfaceDeps): void {
  const rows = { ...QUERY_ROUTES, ...RUNNING_QUERY_ROUTES, ...SAVED_QUERY_ROUTES };
  mountRoutes(app, deps, rows, { ...runningQueries, ...savedQueries, ...schema, ...query });
}
