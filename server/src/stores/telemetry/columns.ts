import { SEVERITY_NAMES } from "#kernel/severity.ts";

/** The three kinds of telemetry (reference, "Endpoints"). */
export type TelemetryType = "logs" | "metrics" | "traces";

export const TELEMETRY_TYPES: readonly TelemetryType[] = ["logs", "metrics", "traces"];

/** A column of a telemetry table: its name and its DuckDB type. Hot rows (NDJSON) and Parquet files have exactly these. */
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
  /** Made of other columns when rows are read, and in no file. */
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

/** The columns that rows of each type are stored with. */
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
    text("trace_id", "trace that the entry belongs to"),
    text("span_id", "span that the entry belongs to"),
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
    text("parent_span_id", "span that this one was called from"),
    text("name", "span name"),
    text("kind", "span kind"),
    text("service", "service that the span ran in"),
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

/** The columns of each table, in the order in which `SELECT *` shows them. */
export const SHOWN_COLUMNS: Readonly<Record<TelemetryType, readonly Column[]>> = {
  ...COLUMNS,
  logs: COLUMNS.logs.flatMap((column) => (column.name === "severity" ? [column, severityName] : [column])),
};

/**
 * The attributes of a row of the log. Those with a fraction that a double can't hold are a string of their JSON: DuckDB
 * parses numbers of JSON, and would write them differently.
 */
export const UNPACKED_ATTRIBUTES = `CASE WHEN starts_with("attributes", '"') THEN TRY_CAST("attributes"->>'$' AS JSON) ELSE "attributes" END`;

/** Prefix of the columns that promoted attributes have in Parquet files. */
const PROMOTED_PREFIX = "attribute_";

/**
 * Name of the column that holds `attributes->>'key'` as text in a file where the attribute is promoted. In hexadecimal of UTF-8:
 * keys that differ in case only are different columns, and no key needs quoting.
 */
export function promotedColumn(key: string): string {
  return `${PROMOTED_PREFIX}${Buffer.from(key).toString("hex")}`;
}

/**
 * Whether `attributes->>'key'` means the member `key`: DuckDB takes what begins with `$` or `/` for a path, `*` for all members, and
 * refuses some keys with a backslash.
 */
export function isPromotable(key: string): boolean {
  return key !== "" && key !== "*" && Buffer.byteLength(key) <= 64 && !/^[$/]|[\\\0]/.test(key);
}
