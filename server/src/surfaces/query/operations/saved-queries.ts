import type { SAVED_QUERY_ROUTES } from "@mooring/contract";
import { answering } from "#domain/idempotency/index.ts";
import { reachOf } from "#domain/identity/index.ts";
import {
  createSavedQuery as create,
  deleteSavedQuery as remove,
  listSavedQueries as list,
  parametersOf,
  parametersWith,
  updateSavedQuery as update,
} from "#domain/saved-queries/index.ts";
import type { Operation } from "#http/index.ts";
import type { QuerySurfaceDeps } from "../deps.ts";
import { savedQueryBody, versioned } from "../model.ts";
import { authorOf, placeFor, READING, savedQueriesOf, savedQueryFor, WRITING } from "../resources.ts";
import { query } from "./query.ts";

export function listSavedQueries(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.listSavedQueries> {
  return async ({ query }, { principal }) => {
    const { project, cursor, limit = 50 } = query;
    const projectId = project === undefined ? undefined : (await placeFor(deps, principal, project, READING))?.id;
    const reach = reachOf(principal, "telemetry:read");
    const page = await list(deps, principal.orgId, reach, { projectId, cursor, limit });
    return { items: page.items.map(savedQueryBody), next_cursor: page.nextCursor };
  };
}

export function createSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.createSavedQuery> {
  return async ({ body }, context) => {
    const { project, ...input } = body;
    const place = await placeFor(deps, context.principal, project, WRITING);
    return answering(savedQueryBody, () => create(savedQueriesOf(deps), authorOf(context), place, input));
  };
}

export function getSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.getSavedQuery> {
  return async ({ params }, context) =>
    versioned(context, await savedQueryFor(deps, context.principal, params.query_id, READING));
}

export function updateSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.updateSavedQuery> {
  return async ({ params, body }, context) => {
    const before = await savedQueryFor(deps, context.principal, params.query_id, WRITING);
    const options = { change: body, ifMatch: context.request.headers["if-match"] };
    return versioned(context, await update(savedQueriesOf(deps), authorOf(context), before, options));
  };
}

export function deleteSavedQuery(deps: QuerySurfaceDeps): Operation<typeof SAVED_QUERY_ROUTES.deleteSavedQuery> {
  return async ({ params }, context) => {
    const query = await savedQueryFor(deps, context.principal, params.query_id, WRITING);
    await remove(savedQueriesOf(deps), authorOf(context), query);
    return undefined;
  };
}

/**
 * `POST /v1/query/saved/{query_id}/run`: runs the saved statement as `POST /v1/query` does, with the caller's
 * permissions.
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
