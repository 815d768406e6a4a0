import { COLUMNS, TELEMETRY_TYPES, type Column, type TelemetryType } from "../columns.ts";

/** Tables of rows that the server writes about its own work. They arrive by the spool. */
export type SpoolTable = "access_log";

/** Every table whose rows are in Parquet files. */
export type StoredTable = TelemetryType | SpoolTable;

interface SpoolDefinition {
  /** What a row is, for the schema. */
  readonly description: string;
  readonly columns: readonly Column[];
  /** Columns about the actor, which become NULL when the person is deleted. The identifier stays. */
  readonly personal: readonly string[];
  /** Days that rows are kept when the organization has not set them. */
  readonly days: number;
}

const text = (name: string, description: string): Column => ({ name, type: "VARCHAR", description });
const count = (name: string, description: string): Column => ({ name, type: "BIGINT", description });

/** Every row has these columns. The spool sets `seq` and `node`. */
const COMMON: readonly Column[] = [
  { name: "timestamp", type: "TIMESTAMPTZ", description: "time when the request began, UTC, in milliseconds" },
  count("seq", "number of the row on its node; later rows have larger numbers"),
  text("node", "identifier of the server's data directory"),
];

/**
 * The tables of the spool. A new one is a row here, a column `retention_days_<table>` in `telemetry_policy`, and its name in
 * `StoredTableName` of the metadata schema.
 */
export const SPOOL_TABLES: Readonly<Record<SpoolTable, SpoolDefinition>> = {
  access_log: {
    description: "who read or changed which data, one row a request",
    days: 30,
    personal: ["actor_name", "session_id", "ip", "user_agent"],
    columns: [
      ...COMMON,
      text("request_id", "identifier of the request"),
      text("action", "the action, for example file.download"),
      text("surface", "the interface, for example files or s3"),
      text("method", "HTTP method, or NULL"),
      { name: "status", type: "BIGINT", description: "HTTP status of the answer, or NULL" },
      text("outcome", "success, refused, failed or aborted (the caller disconnected)"),
      text("actor_kind", "person, credential, anonymous or system"),
      text("actor_id", "identifier of the person or credential, or NULL"),
      text("actor_name", "name of the actor at that time, or NULL"),
      text("session_id", "identifier of the token with which a person acted, or NULL"),
      text("project_id", "identifier of the project, or NULL"),
      text("target_kind", "kind of the data, for example file, object, image or query"),
      text("target_id", "identifier of the data, or NULL"),
      text("target_name", "name of the data at that time, or NULL"),
      text("version", "version of an object, or digest of an image, or NULL"),
      count("bytes_in", "bytes of the request's body, or NULL when unknown"),
      count("bytes_out", "bytes of the answer's body, or NULL when the server did not send it"),
      count("rows", "rows in the answer, or NULL"),
      { name: "duration_ms", type: "DOUBLE", description: "time from the request to the end of the answer" },
      text("ip", "address that the request came from"),
      text("user_agent", "the caller's User-Agent field, or NULL"),
      text("via", "how the caller proved who they are: token, session, secret, signature, presigned or anonymous"),
      text("grant_by", "identifier of the actor that signed the URL, or NULL"),
      { name: "tables", type: "JSON", description: "list of the tables that a statement read, or NULL" },
      count("sample_rate", "a row stands for this many requests; 1: every request has a row"),
      { name: "detail", type: "JSON", description: "further details; read a key as text with detail->>'key'" },
    ],
  },
};

export const SPOOL_TABLE_NAMES = Object.keys(SPOOL_TABLES) as SpoolTable[];

/** The order is the order in which tables are listed. */
export const STORED_TABLES: readonly StoredTable[] = [...TELEMETRY_TYPES, ...SPOOL_TABLE_NAMES];

/** The stored columns of each table. */
export const STORED_COLUMNS: Readonly<Record<StoredTable, readonly Column[]>> = {
  ...COLUMNS,
  access_log: SPOOL_TABLES.access_log.columns,
};

export function isSpoolTable(name: string): name is SpoolTable {
  return Object.hasOwn(SPOOL_TABLES, name);
}
