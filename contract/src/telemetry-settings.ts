import Type, { type TInteger, type TSchema } from "typebox";
import { ACCESS_LOG_ROWS } from "./access-log.ts";
import { ERASURE_ROWS } from "./erasures.ts";
import { INGEST_RULE_ROWS } from "./ingest-rules.ts";
import { QUERY_LOG_ROWS } from "./query-log.ts";
import { REFUSED_ENTRIES_ROWS } from "./refused-entries.ts";
import { RETENTION_RULE_ROWS } from "./retention-rules.ts";
import { closed, nullable } from "./organization/shapes.ts";
import { route } from "./route.ts";
import { Timestamp } from "./shared.ts";

const DAYS_MAX = 36_500;
const Days = Type.Integer({ minimum: 1, maximum: DAYS_MAX });

/** A value for each type of telemetry. */
function byType<T extends TSchema>(value: T) {
  return Type.Object({ logs: value, metrics: value, traces: value });
}

const DaysByType = byType(nullable(Days));

const AHEAD_SECONDS_MAX = 10 * 365 * 86_400;
const TimestampLimits = {
  behind_days: nullable(Days),
  ahead_seconds: nullable(Type.Integer({ minimum: 0, maximum: AHEAD_SECONDS_MAX })),
};

export const TelemetrySettings = Type.Object({
  retention_days: Type.Object(DaysByType.properties, {
    description: "the organization's choice; null: the server's default",
  }),
  effective_retention_days: Type.Object(DaysByType.properties, {
    description: "the effective value, after the server's default and maximum; null: kept until deleted",
  }),
  retention_days_max: nullable(Type.Integer({ description: "the highest value that may be chosen; null: no maximum" })),
  timestamps: Type.Object(TimestampLimits, {
    description: "the organization's choice; null: the server's default",
  }),
  effective_timestamps: Type.Object(
    {
      behind_days: byType(Type.Integer({ minimum: 1, description: "never more than the retention" })),
      ahead_seconds: Type.Integer({ minimum: 0 }),
    },
    { description: "an entry with a time before or after is refused" },
  ),
});

const Bytes = (description: string): TInteger => Type.Integer({ minimum: 0, description });

export const TelemetryUsage = Type.Object({
  types: byType(
    Type.Object({
      rows: Type.Integer({ minimum: 0 }),
      bytes: Bytes("bytes of Parquet files, and of rows that are not yet in Parquet (as JSON)"),
      parquet_bytes: Bytes("of Parquet files"),
      pending_bytes: Bytes("bytes of rows not yet in Parquet"),
      files: Type.Integer({ minimum: 0, description: "Parquet files" }),
      oldest: nullable(Timestamp),
      newest: nullable(Timestamp),
    }),
  ),
  stored_bytes: Bytes("of all types together"),
  quota: Type.Object({
    stored_bytes_max: nullable(Type.Integer({ description: "null: no limit" })),
    stored_bytes_left: nullable(Type.Integer({ minimum: 0 })),
    ingest_bytes_per_second: nullable(
      Type.Integer({ description: "bytes of rows per second on average; null: no limit" }),
    ),
    ingest_bytes_burst: nullable(Type.Integer({ description: "bytes of rows, at once" })),
  }),
});

/** Retention, quotas, erasure and ingest rules of an organization's telemetry. */
export const TELEMETRY_SETTINGS_ROUTES = {
  getTelemetrySettings: route({
    operationId: "getTelemetrySettings",
    method: "GET",
    path: "/v1/telemetry/settings",
    tag: "telemetry",
    summary: "Show how long the organization's telemetry is kept",
    permission: "org:read",
    result: TelemetrySettings,
    status: 200,
    problems: ["forbidden"],
  }),
  updateTelemetrySettings: route({
    operationId: "updateTelemetrySettings",
    method: "PATCH",
    path: "/v1/telemetry/settings",
    tag: "telemetry",
    summary: "Change how long telemetry is kept, and which times are accepted",
    description:
      "A shorter retention has a grace, see `getRetentionRules`. After that, older rows are no longer shown, and their files are deleted a day later. A longer retention does not bring back " +
      "deleted rows. Settings that the request does not name stay.",
    permission: "org:write",
    headers: ["If-Match"],
    body: Type.Object(
      {
        retention_days: Type.Optional(
          Type.Object(
            {
              logs: Type.Optional(nullable(Days)),
              metrics: Type.Optional(nullable(Days)),
              traces: Type.Optional(nullable(Days)),
            },
            { ...closed, minProperties: 1, description: "null: the server's default" },
          ),
        ),
        timestamps: Type.Optional(
          Type.Object(
            {
              behind_days: Type.Optional(TimestampLimits.behind_days),
              ahead_seconds: Type.Optional(TimestampLimits.ahead_seconds),
            },
            { ...closed, minProperties: 1, description: "null: the server's default" },
          ),
        ),
      },
      { ...closed, minProperties: 1 },
    ),
    result: TelemetrySettings,
    status: 200,
    problems: ["invalid_body", "forbidden", "concurrent_update"],
  }),
  getTelemetryUsage: route({
    operationId: "getTelemetryUsage",
    method: "GET",
    path: "/v1/telemetry/usage",
    tag: "telemetry",
    summary: "Show the organization's stored bytes, and its limits for storing and sending",
    description:
      "The numbers are of the server that answers. If several servers share a database, each has its own files.",
    permission: "org:read",
    result: TelemetryUsage,
    status: 200,
    problems: ["forbidden"],
  }),
  ...ERASURE_ROWS,
  ...RETENTION_RULE_ROWS,
  ...ACCESS_LOG_ROWS,
  ...QUERY_LOG_ROWS,
  ...INGEST_RULE_ROWS,
  ...REFUSED_ENTRIES_ROWS,
} as const;
