import { SEVERITY_NAMES } from "#kernel/severity.ts";

/** The three kinds of telemetry (reference, "Endpoints"). */
export type TelemetryType = "logs" | "metrics" | "traces";

export const TELEMETRY_TYPES: readonly TelemetryType[] = ["logs", "metrics", "traces"];

/** A column of a telemetry table, with its DuckDB type. Hot rows (NDJSON) and Parquet files have these columns. */
export interface Column {
  readonly name: string;
  readonly type:
    | "TIMESTAMPTZ"
    | "VARCHAR"
    | "BIGINT"
    | "DOUBLE"
    | "UTINYINT"
    | "BOOLEAN"
    | "JSON"
    | "MAP(VARCHAR, VARCHAR)";
  readonly description: string;
  /** Computed from other columns when rows are read, and stored in no file. */
  readonly derived?: true;
}

const timestamp: Column = {
  name: "timestamp",
  type: "TIMESTAMPTZ",
  description: "time of the event, UTC, in microseconds",
};
const attributes: Column = {
  name: "attributes",
  type: "JSON",
  description: "free-form context; read a key as text with attributes->>'key'",
};
const project: Column = {
  name: "project_id",
  type: "VARCHAR",
  description: "project of the credential that sent it, or NULL",
};
const text = (name: string, description: string): Column => ({ name, type: "VARCHAR", description });

/** The stored columns of each type. */
export const COLUMNS: Readonly<Record<TelemetryType, readonly Column[]>> = {
  logs: [
    timestamp,
    text("level", "severity label as sent"),
    {
      name: "severity",
      type: "UTINYINT",
      description: "severity number of OpenTelemetry, 1 to 24, by the level's spelling, or NULL",
    },
    text("message", "log text"),
    text("service", "service that logged"),
    text("trace_id", "trace of the entry"),
    text("span_id", "span of the entry"),
    attributes,
    project,
  ],
  metrics: [
    timestamp,
    text("name", "metric name"),
    { name: "value", type: "DOUBLE", description: "sampled value" },
    { name: "tags", type: "MAP(VARCHAR, VARCHAR)", description: "dimensions of the sample; read one with tags['key']" },
    project,
  ],
  traces: [
    timestamp,
    text("trace_id", "identifier of the trace"),
    text("span_id", "identifier of the span"),
    text("parent_span_id", "parent span"),
    text("name", "span name"),
    text("kind", "span kind"),
    text("service", "service of the span"),
    text("status", "outcome of the span; ok means success"),
    { name: "duration_ms", type: "DOUBLE", description: "duration in milliseconds" },
    attributes,
    project,
  ],
};

const severityName: Column = {
  ...text("severity_name", `severity as a word, to group by: ${SEVERITY_NAMES.join(", ")}, or NULL`),
  derived: true,
};

const serviceOfMetric: Column = {
  ...text("service", "service of the sample: its tag service.name, or else its tag service"),
  derived: true,
};

/** The service of a row of metrics. Its tags have it, so that rows from before this column have it, too. */
export const SERVICE_OF_METRIC = `coalesce("tags"['service.name'], "tags"['service'])`;

/** The columns of each table, in the order of `SELECT *`. */
export const SHOWN_COLUMNS: Readonly<Record<TelemetryType, readonly Column[]>> = {
  ...COLUMNS,
  metrics: COLUMNS.metrics.flatMap((column) => (column.name === "tags" ? [column, serviceOfMetric] : [column])),
  logs: COLUMNS.logs.flatMap((column) => (column.name === "severity" ? [column, severityName] : [column])),
};

/**
 * The attributes of a row of the log. Attributes with a fraction that a double cannot represent are a string of JSON,
 * because DuckDB would parse and change the number.
 */
export const UNPACKED_ATTRIBUTES = `CASE WHEN starts_with("attributes", '"') THEN TRY_CAST("attributes"->>'$' AS JSON) ELSE "attributes" END`;

/** Prefix of the columns of promoted attributes in Parquet files. */
const PROMOTED_PREFIX = "attribute_";

/**
 * Returns the column name for `attributes->>'key'` in a file in which the attribute is promoted. It has the UTF-8 in
 * hexadecimal, so that keys that differ only in case have different columns, and no key needs quoting.
 */
export function promotedColumn(key: string): string {
  return `${PROMOTED_PREFIX}${Buffer.from(key).toString("hex")}`;
}

/**
 * Returns whether `attributes->>'key'` means the member `key`. DuckDB reads a leading `$` or `/` as a path and `*` as
 * all members, and refuses some keys with a backslash.
 */
export function isPromotable(key: string): boolean {
  return key !== "" && key !== "*" && Buffer.byteLength(key) <= 64 && !/^[$/]|[\\\0]/.test(key);
}
