import type { ResultOf, RUNNING_QUERY_ROUTES } from "@mooring/contract";
import { cancelQueriesOf, cancelQuery as cancel, listRunning, type QueriesDeps } from "#domain/queries/index.ts";
import { callerOf } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { RunningQuery } from "#stores/telemetry/index.ts";
import type { QueryOperation, QuerySurfaceDeps } from "../deps.ts";

export const listQueries: QueryOperation<"listQueries"> = async (deps, _input, { principal }) => {
  const nowMs = deps.host.clock.nowMs();
  const items = await listRunning(queriesOf(deps), principal);
  return { items: items.map((query) => bodyOf(query, nowMs)) };
};

/** `DELETE /v1/queries/{statement_id}`. @throws Problem `not_found` */
export const cancelQuery: QueryOperation<"cancelQuery"> = async (deps, { params }, context) => {
  await cancel(queriesOf(deps), callerOf(context), params.statement_id);
  return undefined;
};

/** `DELETE /v1/queries`: cancels all queries of an actor. */
export const cancelQueries: QueryOperation<"cancelQueries"> = async (deps, { query }, context) => ({
  cancelled: await cancelQueriesOf(queriesOf(deps), callerOf(context), query.actor),
});

function queriesOf({ metadata, store, host, nodeId }: QuerySurfaceDeps): QueriesDeps {
  return { metadata, clock: host.clock, queries: store.queries, nodeId };
}

type Body = ResultOf<typeof RUNNING_QUERY_ROUTES.listQueries>["items"][number];

function bodyOf(query: RunningQuery, nowMs: number): Body {
  const { origin, askedAtMs, startedAtMs } = query;
  return {
    id: query.id,
    state: query.state,
    actor: origin.actor,
    surface: origin.surface,
    saved_query_id: origin.savedQueryId ?? null,
    statement: query.sql,
    asked_at: isoFromMs(askedAtMs),
    started_at: startedAtMs === null ? null : isoFromMs(startedAtMs),
    waited_ms: Math.max(0, (startedAtMs ?? nowMs) - askedAtMs),
    running_ms: startedAtMs === null ? 0 : Math.max(0, nowMs - startedAtMs),
    rows_planned: query.rowsPlanned,
    bytes_planned: query.bytesPlanned,
    request_id: origin.requestId,
  };
}
