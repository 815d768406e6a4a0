import type { QUERY_ROUTES } from "@mooring/contract";
import { managesQueries, queryActorOf } from "#domain/queries/index.ts";
import { noteAccess, preferredType, type OperationContext, type OperationInput } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { ResultFormat } from "#stores/telemetry/index.ts";
import type { QueryLimits, QueryOperation, QuerySurfaceDeps } from "../deps.ts";
import { rangeOf } from "../range.ts";
import { rightsOf } from "../records.ts";
import { sendRun } from "../send.ts";

const TYPES = [
  "application/json",
  "application/x-ndjson",
  "application/ndjson",
  "text/csv",
  "application/vnd.apache.arrow.stream",
  "application/vnd.apache.parquet",
] as const;
const PLAN_TYPES = ["application/json"] as const;
const FORMATS: Readonly<Record<(typeof TYPES)[number], ResultFormat>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "text/csv": "csv",
  "application/vnd.apache.arrow.stream": "arrow",
  "application/vnd.apache.parquet": "parquet",
};

/** What the caller asks for, and the saved query that it comes from. */
export interface Asked {
  readonly body: OperationInput<(typeof QUERY_ROUTES)["query"]>["body"];
  readonly savedQueryId?: string;
}

/**
 * `POST /v1/query`: streams the result in the format that `Accept` prefers.
 * @throws Problem `not_acceptable`, `invalid_parameter`, and the engine's own (see `TelemetryStore.query`)
 */
export const query: QueryOperation<"query"> = async (deps, { body }, context) => {
  await runQuery(deps, { body }, context);
  return undefined as never; // The body was streamed, so the framework serializes nothing.
};

/** Runs a statement, and sends the result. @throws Problem as `query` does */
export async function runQuery(
  deps: QuerySurfaceDeps,
  { body, savedQueryId }: Asked,
  context: OperationContext,
): Promise<void> {
  const { principal, request, requestId, reply, signal } = context;
  const offers = explainOf(body.explain) === undefined ? TYPES : PLAN_TYPES;
  const type = preferredType(request.headers.accept, offers);
  if (type === null) throw new Problem("not_acceptable", `This operation can answer as ${offers.join(", ")}.`);
  refuseBeyondLimits(body, deps.limits);
  noteAccess(request, { targetKind: "query", targetId: null });
  const rights = rightsOf(deps.metadata, principal);
  const run = await deps.store.query({
    orgId: principal.orgId,
    origin: {
      actor: queryActorOf(principal),
      surface: savedQueryId === undefined ? "query" : "saved_query",
      requestId,
      savedQueryId,
      projectId: principal.kind === "credential" ? principal.projectId : null,
    },
    visible: rights.visible,
    sql: body.sql,
    parameters: body.parameters ?? [],
    format: FORMATS[type],
    range: rangeOf(body),
    records: rights.records,
    seesAllQueries: managesQueries(principal),
    reads: (tables) => noteAccess(request, { tables }),
    ended: ({ rows }) => noteAccess(request, { rows }),
    explain: explainOf(body.explain),
    timeoutMs: body.timeout_ms ?? deps.limits.timeoutMs,
    memoryBytesMax: deps.limits.memoryBytesMax,
    rowsMax: body.limit ?? deps.limits.rowsMax,
    truncate: body.limit !== undefined,
    signal,
  });
  const { compression } = deps.host;
  await sendRun(run, { request, reply, trailer: FORMATS[type] !== "json", compression });
}

function explainOf(explain: boolean | "analyze" | undefined): "plan" | "analyze" | undefined {
  return explain === true ? "plan" : explain === false ? undefined : explain;
}

function refuseBeyondLimits(body: { timeout_ms?: number; limit?: number }, limits: QueryLimits): void {
  const errors = [];
  if ((body.timeout_ms ?? 0) > limits.timeoutMsMax)
    errors.push({ pointer: "/timeout_ms", detail: `must be at most ${limits.timeoutMsMax}` });
  if ((body.limit ?? 0) > limits.rowsMax)
    errors.push({ pointer: "/limit", detail: `must be at most ${limits.rowsMax}` });
  if (errors.length > 0) throw new Problem("invalid_body", "A limit is larger than this server allows.", { errors });
}
