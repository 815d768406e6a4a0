import Type from "typebox";
import { IdOrSlug, Id, closed, nullable, page } from "./organization/shapes.ts";
import { Parameters, QueryBody, QueryResult, QUERY_ROUTES } from "./query.ts";
import { route } from "./route.ts";
import { CursorQuery, DisplayName, Timestamp } from "./shared.ts";

const savedQueryParams = Type.Object({ query_id: Id });
const Description = Type.String({ maxLength: 2000 });
const { sql } = QueryBody.properties;
const { sql: _sql, ...runMembers } = QueryBody.properties;

export const SavedQuery = Type.Object({
  id: Id,
  name: DisplayName,
  description: Type.String(),
  project_id: nullable(Type.String({ description: "null: it belongs to the organization" })),
  sql: Type.String(),
  parameters: Parameters,
  parameter_names: Type.Array(Type.String(), {
    description: "the parameters of the statement; positional parameters have numbers as names",
  }),
  created_by: Id,
  created_at: Timestamp,
  updated_by: Id,
  updated_at: Timestamp,
});

export const SAVED_QUERY_ROUTES = {
  listSavedQueries: route({
    operationId: "listSavedQueries",
    method: "GET",
    path: "/v1/query/saved",
    tag: "saved queries",
    summary: "List the saved queries that the token can reach, newest first",
    permission: "telemetry:read",
    resource: "unlimited",
    query: Type.Object({ ...CursorQuery, project: Type.Optional(IdOrSlug) }),
    result: page(SavedQuery),
    status: 200,
    problems: ["invalid_parameter", "not_found"],
  }),
  createSavedQuery: route({
    operationId: "createSavedQuery",
    method: "POST",
    path: "/v1/query/saved",
    tag: "saved queries",
    summary: "Save a query",
    description:
      "The statement must be valid now. Names are unique in a project, and among the saved queries of the organization. Also needs `telemetry:read`.",
    permission: "telemetry:write",
    resource: "unlimited",
    body: Type.Object(
      {
        name: DisplayName,
        sql,
        description: Type.Optional(Description),
        parameters: Type.Optional(Parameters),
        project: Type.Optional(IdOrSlug),
      },
      closed,
    ),
    result: SavedQuery,
    status: 201,
    problems: ["invalid_body", "invalid_sql", "sql_not_allowed", "forbidden", "not_found", "conflict", "limit_reached"],
    idempotent: true,
  }),
  getSavedQuery: route({
    operationId: "getSavedQuery",
    method: "GET",
    path: "/v1/query/saved/{query_id}",
    tag: "saved queries",
    summary: "Read a saved query",
    permission: "telemetry:read",
    resource: "unlimited",
    params: savedQueryParams,
    result: SavedQuery,
    status: 200,
    problems: ["not_found"],
  }),
  updateSavedQuery: route({
    operationId: "updateSavedQuery",
    method: "PATCH",
    path: "/v1/query/saved/{query_id}",
    tag: "saved queries",
    summary: "Change a saved query",
    description: `Alerts on it then show only values that you may see. Also needs \`telemetry:read\`.`,
    headers: ["If-Match"],
    permission: "telemetry:write",
    resource: "unlimited",
    params: savedQueryParams,
    body: Type.Object(
      {
        name: Type.Optional(DisplayName),
        sql: Type.Optional(sql),
        description: Type.Optional(Description),
        parameters: Type.Optional(Parameters),
      },
      { ...closed, minProperties: 1 },
    ),
    result: SavedQuery,
    status: 200,
    problems: ["invalid_body", "invalid_sql", "sql_not_allowed", "not_found", "conflict", "concurrent_update"],
  }),
  deleteSavedQuery: route({
    operationId: "deleteSavedQuery",
    method: "DELETE",
    path: "/v1/query/saved/{query_id}",
    tag: "saved queries",
    summary: "Delete a saved query that no alert uses",
    description: "Also needs `telemetry:read`.",
    permission: "telemetry:write",
    resource: "unlimited",
    params: savedQueryParams,
    status: 204,
    problems: ["not_found", "conflict"],
  }),
  runSavedQuery: route({
    operationId: "runSavedQuery",
    access: "query.run",
    method: "POST",
    path: "/v1/query/saved/{query_id}/run",
    tag: "saved queries",
    summary: "Run a saved query",
    description:
      "It runs with the permissions of the caller, and answers as `POST /v1/query` does. Named `parameters` are added to the saved ones; a list replaces them.",
    permission: "telemetry:read",
    resource: "unlimited",
    params: savedQueryParams,
    body: Type.Object(runMembers, closed),
    result: QueryResult,
    status: 200,
    problems: [...QUERY_ROUTES.query.problems, "not_found"],
  }),
} as const;
