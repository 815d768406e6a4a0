import type { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { parametersOf, parametersWith } from "#domain/saved-queries/index.ts";
import type { Operation } from "#http/index.ts";
import type { QuerySurfaceDeps } from "../index.ts";
import { READING, savedQueryFor } from "../resources.ts";
import { query } from "./query.ts";

/**
 * `POST /v1/query/saved/{query_id}/run`: the same as `POST /v1/query` with the saved statement, and so with the rights of who
 * runs it.
 * @throws Problem `not_found`, and as `query` does
 */
export function runSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.runSavedQuery> {
  const run = query(deps);
  return async ({ params, body }, context) => {
    const saved = await savedQueryFor(deps, context.principal, params.query_id, READING);
    const parameters = parametersWith(parametersOf(saved), body.parameters) as NonNullable<typeof body.parameters>;
    return run({ params: {}, query: {}, body: { ...body, sql: saved.sql, parameters } }, context);
  };
}
