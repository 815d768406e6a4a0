import Type from "typebox";
import { route } from "./route.ts";

const Parameter = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]);

export const Parameters = Type.Union(
  [Type.Array(Parameter, { maxItems: 1000 }), Type.Record(Type.String(), Parameter)],
  {
    description: "values of ? and $1, or of $name",
  },
);

const MOMENT = { format: "date-time", maxLength: 40 } as const;

export const QueryBody = Type.Object(
  {
    sql: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: "one SELECT over logs, metrics and traces, in DuckDB's dialect",
    }),
    parameters: Type.Optional(Parameters),
    from: Type.Optional(
      Type.String({ ...MOMENT, description: "only rows from this time on, ISO 8601 UTC to the microsecond" }),
    ),
    to: Type.Optional(Type.String({ ...MOMENT, description: "only rows before this time" })),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: "the server's settings bound it" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "cut the result after so many rows, and say so" })),
  },
  { additionalProperties: false },
);

export const QueryResult = Type.Object({
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String() })),
  rows: Type.Array(Type.Record(Type.String(), Type.Unknown())),
  row_count: Type.Integer(),
  truncated: Type.Boolean({ description: "true when limit cut the result" }),
  statistics: Type.Object(
    {
      elapsed_ms: Type.Number(),
      rows_scanned: Type.Integer({ description: "rows of the files that were opened" }),
      bytes_scanned: Type.Integer({ description: "bytes of the files that were opened" }),
      files_scanned: Type.Integer({ description: "files that by their times can hold rows of the result" }),
      files_total: Type.Integer({ description: "files of the tables that the statement names" }),
    },
    { additionalProperties: true },
  ),
});

export const QUERY_ROUTES = {
  query: route({
    operationId: "query",
    method: "POST",
    path: "/v1/query",
    tag: "query",
    summary: "Run one read-only SQL statement over the organization's telemetry",
    description:
      "`Accept` chooses application/json, application/x-ndjson or text/csv. The result streams; going away cancels the query.",
    permission: "telemetry:read",
    body: QueryBody,
    result: QueryResult,
    status: 200,
    problems: [
      "invalid_sql",
      "sql_not_allowed",
      "query_failed",
      "query_timeout",
      "query_memory",
      "query_too_large",
      "not_acceptable",
    ],
  }),
};
