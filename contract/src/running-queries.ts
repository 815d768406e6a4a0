import Type from "typebox";
import { Id, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

/** The interfaces that queries come from. */
export const QUERY_SURFACES = ["query", "saved_query", "alert", "check", "preview", "erasure"] as const;

export const RunningQuery = Type.Object({
  id: Id,
  state: Type.Enum(["waiting", "running"]),
  actor: Type.Object({
    kind: Type.Enum(["credential", "person", "alert"]),
    id: Id,
  }),
  surface: Type.Enum([...QUERY_SURFACES], {
    description: "check: a statement is saved; preview: a rule for entries is tried",
  }),
  saved_query_id: nullable(Id),
  statement: Type.String({ description: "the first 16 KiB" }),
  asked_at: Timestamp,
  started_at: nullable(Timestamp),
  waited_ms: Type.Integer({ minimum: 0, description: "how long it waited, or waits, for others" }),
  running_ms: Type.Integer({ minimum: 0 }),
  rows_planned: nullable(
    Type.Integer({ minimum: 0, description: "rows of the files that it opens; null until they are known" }),
  ),
  bytes_planned: nullable(Type.Integer({ minimum: 0 })),
  request_id: nullable(Type.String()),
});

/** The reasons for the time of a slow query. */
export const SLOW_REASONS = {
  waited: "It waited for other queries.",
  scanned_much: "It read many bytes.",
  no_range: "It read all files of a table, because it selects no range of times.",
  many_files: "It opened many files.",
  memory: "It needed most of its memory.",
  slow_reader: "Its reader took the result slowly.",
  computation: "Its own computation took the time.",
} as const;

const Count = Type.Integer({ minimum: 0 });

export const EndedQuery = Type.Object({
  id: Id,
  state: Type.Enum(["done", "failed", "cancelled", "refused"]),
  code: nullable(Type.String({ description: "the code of the failure or refusal" })),
  detail: nullable(Type.String()),
  cancelled_by: nullable(Id),
  actor: RunningQuery.properties.actor,
  surface: RunningQuery.properties.surface,
  saved_query_id: nullable(Id),
  statement: Type.String({ description: "the first 4 KiB" }),
  asked_at: Timestamp,
  elapsed_ms: Count,
  wait_ms: Type.Integer({ minimum: 0, description: "waited for others" }),
  plan_ms: Type.Integer({ minimum: 0, description: "until its files were known" }),
  run_ms: Count,
  send_ms: Type.Integer({ minimum: 0, description: "waited for its reader" }),
  tables: Type.Array(Type.String()),
  from: nullable(Timestamp),
  to: nullable(Timestamp),
  rows_read: Type.Integer({ minimum: 0, description: "rows of the files that it opened" }),
  bytes_read: Count,
  files_read: Count,
  blocks_skipped: Type.Integer({ minimum: 0, description: "files that were left out because of their times" }),
  rows_out: Count,
  bytes_out: Count,
  memory_peak_bytes: Count,
  slow: Type.Array(Type.Enum(Object.keys(SLOW_REASONS) as (keyof typeof SLOW_REASONS)[]), {
    description: "the main reasons for its time; empty if it took less than a second",
  }),
  request_id: nullable(Type.String()),
});

export const RUNNING_QUERY_ROUTES = {
  listQueries: route({
    operationId: "listQueries",
    method: "GET",
    path: "/v1/queries",
    tag: "queries",
    summary: "List the queries that wait or run, oldest first",
    description:
      "Those of the caller. With `queries:manage` of the organization, those of everybody. Queries on other servers are listed after one second.",
    permission: "telemetry:read",
    resource: "services",
    result: Type.Object({ items: Type.Array(RunningQuery) }),
    status: 200,
    problems: [],
  }),
  listEndedQueries: route({
    operationId: "listEndedQueries",
    method: "GET",
    path: "/v1/queries/ended",
    tag: "queries",
    summary: "List the last queries that ended, newest first, with the reasons for their time",
    description:
      "Those of the caller. With `queries:manage` of the organization, those of everybody. The list is in the memory of the server that answers: the last 200 and 100 slow ones of an organization, for a day at most.",
    permission: "telemetry:read",
    resource: "services",
    query: Type.Object({
      slow: Type.Optional(Type.Boolean({ description: "only those of at least one second" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
    }),
    result: Type.Object({ items: Type.Array(EndedQuery) }),
    status: 200,
    problems: ["invalid_parameter"],
  }),
  cancelQuery: route({
    operationId: "cancelQuery",
    method: "DELETE",
    path: "/v1/queries/{statement_id}",
    tag: "queries",
    summary: "Cancel a query that waits or runs",
    description:
      "Its caller gets `query_cancelled`. A query on another server ends within about a second. The queries of others need `queries:manage`.",
    permission: "telemetry:read",
    resource: "services",
    params: Type.Object({ statement_id: Id }),
    status: 204,
    problems: ["not_found"],
  }),
  cancelQueries: route({
    operationId: "cancelQueries",
    method: "DELETE",
    path: "/v1/queries",
    tag: "queries",
    summary: "Cancel all queries of a credential, a person or an alert",
    description: "Those that the caller may see. The queries of others need `queries:manage`.",
    permission: "telemetry:read",
    resource: "services",
    query: Type.Object({ actor: Type.String({ minLength: 1, maxLength: 64, description: "the id of the actor" }) }),
    result: Type.Object({ cancelled: Type.Integer({ minimum: 0 }) }),
    status: 200,
    problems: ["invalid_parameter"],
  }),
};
