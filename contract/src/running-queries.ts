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

/** The reasons for the time of a slow query, in the column `slow` of `query_log`. */
export const SLOW_REASONS = {
  waited: "It waited for other queries.",
  scanned_much: "It read many bytes.",
  no_range: "It read all files of a table, because it selects no range of times.",
  many_files: "It opened many files.",
  memory: "It needed most of its memory.",
  slow_reader: "Its reader took the result slowly.",
  computation: "Its own computation took the time.",
} as const;

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
