import type { FastifyInstance } from "fastify";
import { QUERY_ROUTES, SAVED_QUERY_ROUTES as saved } from "@mooring/contract";
import { mountRoute } from "#http/index.ts";
import type { QuerySurfaceDeps } from "./deps.ts";
import {
  createSavedQuery,
  deleteSavedQuery,
  getSavedQuery,
  listSavedQueries,
  runSavedQuery,
  updateSavedQuery,
} from "./operations/saved-queries.ts";
import { getQuerySchema } from "./operations/schema.ts";
import { query } from "./operations/query.ts";

/** Row → operation. The contract's row has the permission. */
export function mountQuery(app: FastifyInstance, deps: QuerySurfaceDeps): void {
  mountRoute(app, deps.host, QUERY_ROUTES.query, query(deps));
  mountRoute(app, deps.host, QUERY_ROUTES.getQuerySchema, getQuerySchema(deps));
  mountRoute(app, deps.host, saved.listSavedQueries, listSavedQueries(deps));
  mountRoute(app, deps.host, saved.createSavedQuery, createSavedQuery(deps));
  mountRoute(app, deps.host, saved.getSavedQuery, getSavedQuery(deps));
  mountRoute(app, deps.host, saved.updateSavedQuery, updateSavedQuery(deps));
  mountRoute(app, deps.host, saved.deleteSavedQuery, deleteSavedQuery(deps));
  mountRoute(app, deps.host, saved.runSavedQuery, runSavedQuery(deps));
}
