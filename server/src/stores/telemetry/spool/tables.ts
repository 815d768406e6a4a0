import { COLUMNS, TELEMETRY_TYPES, type Column, type TelemetryType } from "../columns.ts";

/** Tables of rows that the server writes about its own work. They arrive by the spool. */
export type SpoolTable = "access_log" | "query_log";

/** Every table whose rows are in Parquet files. */
export type StoredTable = TelemetryType | SpoolTable;

interface SpoolDefinition {
  /** What a row is, for the schema. */
  readonly description: string;
  readonly columns: readonly Column[];
  /** Columns about the actor, which become NULL when the person is deleted. The identifier stays. */
  readonly personal: readonly string[];
  /** The column with the actor, if actors see only their own rows. Callers who manage queries see all. */
  readonly actorColumn?: string;
  /** Each server answers with its own rows only, so they do not make the answers of other servers incomplete. */
  readonly isOfServer?: true;
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
  query_log: {
    description: "SQL statements that ended, one row each: who asked, how much it read, and why it took long",
    days: 30,
    personal: ["statement", "detail"],
    actorColumn: "actor_id",
    isOfServer: true,
    columns: [
      ...COMMON,
      text("id", "identifier of the statement"),
      text("state", "done, failed, cancelled or refused"),
      text("code", "code of the failure or refusal, or NULL"),
      text("detail", "the message of the failure or refusal, or NULL"),
      text("cancelled_by", "identifier of the actor that cancelled it, or NULL"),
      text("actor_kind", "person, credential or alert"),
      text("actor_id", "identifier of the person, credential or alert"),
      text("surface", "query, saved_query, alert, check (a statement is saved) or preview (a rule is tried)"),
      text("saved_query_id", "identifier of the saved query, or NULL"),
      text("statement", "the first 16 KiB of the text, with its literals"),
      text("statement_hash", "equal for statements that differ only in literals, comments, case and spaces"),
      { name: "tables", type: "JSON", description: "list of the tables that it reads" },
      { name: "time_from", type: "TIMESTAMPTZ", description: "begin of the times that it selects, or NULL" },
      { name: "time_to", type: "TIMESTAMPTZ", description: "end of the times that it selects, or NULL" },
      count("elapsed_ms", "time from the request to the end of the statement"),
      count("wait_ms", "how long it waited for other statements"),
      count("plan_ms", "time until its files were known"),
      count("run_ms", "time in which it ran"),
      count("send_ms", "how long it waited for its reader"),
      count("rows_read", "rows of the files that it opened"),
      count("bytes_read", "bytes of the files that it opened"),
      count("files_read", "number of files that it opened"),
      count("files_total", "number of files of its tables"),
      count("blocks_skipped", "number of files that were left out because of their times"),
      count("rows_out", "rows of the result"),
      count("bytes_out", "bytes of the result"),
      count("memory_peak_bytes", "the most memory of its process"),
      { name: "slow", type: "JSON", description: "list of the main reasons for its time; empty below one second" },
      text("request_id", "identifier of the request, or NULL"),
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
  query_log: SPOOL_TABLES.query_log.columns,
};

/** Whether each server answers with its own rows of the table only. */
export function isOfServer(name: string): boolean {
  return isSpoolTable(name) && SPOOL_TABLES[name].isOfServer === true;
}

export function isSpoolTable(name: string): name is SpoolTable {
  return Object.hasOwn(SPOOL_TABLES, name);
}
