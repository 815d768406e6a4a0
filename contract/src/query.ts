import Type from "typebox";
import { nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

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
      description:
        "one SELECT over logs, metrics, traces, audit_log, webhook_events, images, files, objects and usage_daily, in DuckDB's dialect",
    }),
    parameters: Type.Optional(Parameters),
    from: Type.Optional(
      Type.String({ ...MOMENT, description: "only rows from this time on, ISO 8601 UTC to the microsecond" }),
    ),
    to: Type.Optional(Type.String({ ...MOMENT, description: "only rows before this time" })),
    explain: Type.Optional(
      Type.Union([Type.Boolean(), Type.Literal("analyze")], {
        description: "return the plan as JSON instead of rows. true: the statement does not run; analyze: it runs",
      }),
    ),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: "at most the limit of the server's settings" })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, description: "cut the result after this number of rows, and report it" }),
    ),
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
      files_scanned: Type.Integer({
        description: "files that were opened, because they can have rows of the time range",
      }),
      files_total: Type.Integer({ description: "files of the tables in the statement" }),
      rows_unreadable: Type.Optional(
        Type.Integer({
          description: "records that were left out because they can't be read; absent if there are none",
        }),
      ),
    },
    { additionalProperties: true },
  ),
});

const TableFigures = Type.Object({
  rows: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0, description: "on disk" }),
  oldest: nullable(Timestamp),
  newest: nullable(Timestamp),
});

const QueryTable = Type.Object({
  name: Type.String(),
  description: Type.String(),
  columns: Type.Array(Type.Object({ name: Type.String(), type: Type.String(), description: Type.String() })),
  promoted_attributes: Type.Array(Type.String(), {
    description: "keys of `attributes` with separate columns in stored files: fast to filter and group by",
  }),
  figures: Type.Union([TableFigures, Type.Null()], {
    description:
      "null for tables of records, and if the caller sees only some of the rows. The times are those of rows in Parquet",
  }),
});

export const QuerySchema = Type.Object({
  tables: Type.Array(QueryTable, { description: "the tables that the caller may read" }),
  functions: Type.Array(Type.String()),
  table_functions: Type.Array(Type.String(), { description: "functions that may be in FROM" }),
  examples: Type.Array(Type.Object({ title: Type.String(), sql: Type.String() })),
});

export const QUERY_ROUTES = {
  query: route({
    operationId: "query",
    access: "query.run",
    method: "POST",
    path: "/v1/query",
    tag: "query",
    summary: "Run one read-only SQL statement over the organization's telemetry",
    description:
      "`Accept` selects application/json, application/x-ndjson, text/csv, application/vnd.apache.arrow.stream or " +
      "application/vnd.apache.parquet. The result streams. Closing the connection cancels the query. All formats except JSON have their statistics in the " +
      "trailer field Query-Statistics. With `explain` the answer is a plan. The table audit_log also needs audit:read, webhook_events webhooks:read, images registry:pull, files files:read, objects s3:read, usage_daily org:read.",
    permission: "telemetry:read",
    resource: "services",
    body: QueryBody,
    result: QueryResult,
    status: 200,
    problems: [
      "invalid_sql",
      "sql_not_allowed",
      "query_failed",
      "query_timeout",
      "query_cancelled",
      "query_scan_limit",
      "query_memory",
      "query_too_large",
      "sandbox_missing",
      "not_acceptable",
      "forbidden",
    ],
  }),
  getQuerySchema: route({
    operationId: "getQuerySchema",
    method: "GET",
    path: "/v1/query/schema",
    tag: "query",
    summary: "List the tables, columns and functions that a statement may use, with examples",
    permission: "telemetry:read",
    resource: "services",
    result: QuerySchema,
    status: 200,
    problems: [],
  }),
};
