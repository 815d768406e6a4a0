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
import type { QueryOperation } from "../deps.ts";
import { savedQueryBody, versioned } from "../model.ts";
import { authorOf, placeFor, READING, savedQueriesOf, savedQueryFor, WRITING } from "../resources.ts";
import { runQuery } from "./query.ts";

export const listSavedQueries: QueryOperation<"listSavedQueries"> = async (deps, { query }, { principal }) => {
  const { project, cursor, limit = 50 } = query;
  const projectId = project === undefined ? undefined : (await placeFor(deps, principal, project, READING))?.id;
  const reach = reachOf(principal, "telemetry:read");
  const page = await list(deps, principal.orgId, reach, { projectId, cursor, limit });
  return { items: page.items.map(savedQueryBody), next_cursor: page.nextCursor };
};

export const createSavedQuery: QueryOperation<"createSavedQuery"> = async (deps, { body }, context) => {
  const { project, ...input } = body;
  const place = await placeFor(deps, context.principal, project, WRITING);
  return answering(savedQueryBody, () => create(savedQueriesOf(deps), authorOf(context), place, input));
};

export const getSavedQuery: QueryOperation<"getSavedQuery"> = async (deps, { params }, context) =>
  versioned(context, await savedQueryFor(deps, context.principal, params.query_id, READING));

export const updateSavedQuery: QueryOperation<"updateSavedQuery"> = async (deps, { params, body }, context) => {
  const before = await savedQueryFor(deps, context.principal, params.query_id, WRITING);
  const options = { change: body, ifMatch: context.request.headers["if-match"] };
  return versioned(context, await update(savedQueriesOf(deps), authorOf(context), before, options));
};

export const deleteSavedQuery: QueryOperation<"deleteSavedQuery"> = async (deps, { params }, context) => {
  const query = await savedQueryFor(deps, context.principal, params.query_id, WRITING);
  await remove(savedQueriesOf(deps), authorOf(context), query);
  return undefined;
};

/**
 * `POST /v1/query/saved/{query_id}/run`: runs the saved statement as `POST /v1/query` does, with the caller's
 * permissions.
 * @throws Problem `not_found`, and as `query` does
 */
export const runSavedQuery: QueryOperation<"runSavedQuery"> = async (deps, { params, body }, context) => {
  const saved = await savedQueryFor(deps, context.principal, params.query_id, READING);
  const parameters = parametersWith(parametersOf(saved), body.parameters) as NonNullable<typeof body.parameters>;
  await runQuery(deps, { body: { ...body, sql: saved.sql, parameters }, savedQueryId: saved.id }, context);
  return undefined as never; // as in `query`
};
