import type { ResultOf, RUNNING_QUERY_ROUTES } from "@mooring/contract";
import {
  cancelQueriesOf,
  cancelQuery as cancel,
  listEnded,
  listRunning,
  type QueriesDeps,
} from "#domain/queries/index.ts";
import { callerOf } from "#http/index.ts";
import { isoFromMs, isoFromUs } from "#kernel/time.ts";
import type { QueryEvent, RunningQuery } from "#stores/telemetry/index.ts";
import type { QueryOperation, QuerySurfaceDeps } from "../deps.ts";

export const listQueries: QueryOperation<"listQueries"> = async (deps, _input, { principal }) => {
  const nowMs = deps.host.clock.nowMs();
  const items = await listRunning(queriesOf(deps), principal);
  return { items: items.map((query) => bodyOf(query, nowMs)) };
};

const ENDED_DEFAULT = 50;

export const listEndedQueries: QueryOperation<"listEndedQueries"> = (deps, { query }, { principal }) => {
  const { slow = false, limit = ENDED_DEFAULT } = query;
  const items = listEnded({ queries: deps.store.queries }, principal).filter((event) => !slow || event.slow.length > 0);
  return { items: items.slice(0, limit).map(endedBody) };
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

type EndedBody = ResultOf<typeof RUNNING_QUERY_ROUTES.listEndedQueries>["items"][number];

function endedBody(event: QueryEvent): EndedBody {
  const { origin, fromUs, toUs } = event;
  return {
    id: event.id,
    state: event.state,
    code: event.code,
    detail: event.detail,
    cancelled_by: event.cancelledBy,
    actor: origin.actor,
    surface: origin.surface,
    saved_query_id: origin.savedQueryId ?? null,
    statement: event.sql,
    asked_at: isoFromMs(event.askedAtMs),
    elapsed_ms: event.elapsedMs,
    wait_ms: event.waitMs,
    plan_ms: event.planMs,
    run_ms: event.runMs,
    send_ms: event.sendMs,
    tables: [...event.tables],
    from: fromUs === null ? null : isoFromUs(fromUs),
    to: toUs === null ? null : isoFromUs(toUs),
    rows_read: event.rowsRead,
    bytes_read: event.bytesRead,
    files_read: event.filesRead,
    blocks_skipped: event.filesSkipped,
    rows_out: event.rowsOut,
    bytes_out: event.bytesOut,
    memory_peak_bytes: event.memoryPeakBytes,
    slow: [...event.slow],
    request_id: origin.requestId,
  };
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
