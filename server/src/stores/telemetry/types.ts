import type { ArrivedTelemetry, ArrivingFile } from "./moving/index.ts";
import type { SandboxLayer } from "./query/sandbox.ts";
import type { Readable } from "node:stream";
import type { StoreHealth } from "#kernel/store-health.ts";
import type { TelemetryType } from "./columns.ts";
import type { AcceptedTimes, Policy, RetentionChoice, Usage } from "./retention/index.ts";
import type { SpoolFigures } from "./spool/index.ts";
import type { SpoolTable, StoredTable } from "./spool/tables.ts";
import type { TelemetryFeed } from "./feed/types.ts";
import type { RecordTable } from "./records/index.ts";
import type { TimeRange } from "./snapshot.ts";

/** Validated and normalised rows of one organization and type. They are stored as a whole or not at all. */
export interface Batch {
  readonly orgId: string;
  readonly type: StoredTable;
  /**
   * The rows as NDJSON: one JSON object a line with the members of `COLUMNS`, absent for NULL. Ends with a newline. Must not
   * be changed after `append`.
   */
  readonly rows: Buffer;
  /** The CRC-32 of `rows`, if it is known. */
  readonly rowsCrc?: number | undefined;
  /** The number of lines in `rows`. */
  readonly count: number;
  /** The id of the credential or person. Absent for the server's own rows. */
  readonly sender?: string | undefined;
  /** Present when the batch is stored only once. */
  readonly idempotency?: BatchKey;
}

/** The key of a batch that is stored only once: of an `Idempotency-Key`, or of the content of a body. */
export interface BatchKey {
  /** SHA-256 in hexadecimal. */
  readonly keyHash: string;
  /** SHA-256 in hexadecimal. Another body with the same key is refused. */
  readonly bodyHash: string;
  /** How long the key is stored. Default and at most: `IDEMPOTENCY_WINDOW_MS`. */
  readonly windowMs?: number;
}

export interface Appended {
  /** The number of accepted entries. For a repeated idempotency key, the number of the first request. */
  readonly accepted: number;
  /** True when the same key and body were accepted before. Nothing was written now. */
  readonly replayed: boolean;
}

export type ResultFormat = "json" | "ndjson" | "csv" | "arrow" | "parquet";

export type QueryParameter = string | number | boolean | null;

/**
 * The projects whose rows the caller may see. `all`: every row. A list: rows of these projects, and with `unassigned` also
 * rows without a project.
 */
export type VisibleRows = "all" | VisiblePart;

export interface VisiblePart {
  readonly projectIds: readonly string[];
  readonly unassigned: boolean;
  /** Only rows of these resources are visible. Absent: all. */
  readonly limits?: RowLimits;
}

/** The resources of a caller who is limited to some. A table without such resources shows no row. */
export interface RowLimits {
  readonly services: readonly string[];
  /** Names, as in the column `repository`. */
  readonly repositories: readonly string[];
  readonly webhooks: readonly string[];
  /** Ids of apps, with the beginning of the keys. */
  readonly buckets: readonly (readonly [appId: string, prefix: string])[];
}

/** The credential or person that a query runs for. Queries of alerts run for the alert. */
export interface QueryActor {
  readonly kind: "credential" | "person" | "alert";
  readonly id: string;
}

/** Where a query came from. */
export interface QueryOrigin {
  readonly actor: QueryActor;
  /** `check` only describes a statement, `preview` reads rows to try a rule. */
  /** `erasure` counts the rows of an erasure. Its statement is shown nowhere, because it may name a person. */
  readonly surface: "query" | "saved_query" | "alert" | "check" | "preview" | "erasure";
  /** The id of the request. Null if there is none. */
  readonly requestId: string | null;
  readonly savedQueryId?: string | undefined;
  /** The project of the credential or alert, for the usage. Absent: none. */
  readonly projectId?: string | null;
}

export interface QueryRequest {
  readonly orgId: string;
  readonly origin: QueryOrigin;
  /** A function is called after the files are chosen, so that it knows every project that has rows in them. */
  readonly visible: VisibleRows | (() => Promise<VisibleRows>);
  readonly sql: string;
  /** Positional (`?`, `$1`) or named (`$name`) parameters. */
  readonly parameters: readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
  readonly format: ResultFormat;
  /** Checks the statement without running it, and answers with a `StatementDescription` as JSON. */
  readonly describe?: boolean;
  /**
   * Only with `describe`: `sql` is a boolean expression over one table. `nowMs` is the moment that `now()` stands for in the
   * answer's `condition`.
   */
  readonly condition?: { readonly table: StoredTable | RecordTable; readonly nowMs: number } | undefined;
  /**
   * `plan` answers with the plan as JSON (`{"plan": …}`) and runs nothing. `analyze` runs the statement and answers with the
   * executed plan.
   */
  readonly explain?: "plan" | "analyze" | undefined;
  /**
   * Called for each table of records or of the spool that the statement reads. Throws the Problem when the principal may not read it.
   * Without this function no such table can be read.
   */
  readonly records?: (table: RecordTable | SpoolTable) => void;
  /** The caller sees the rows of everybody in `query_log`. Absent: only those of `origin.actor`. */
  readonly seesAllQueries?: boolean;
  /** Called with the tables that the statement reads. */
  readonly reads?: (tables: readonly string[]) => void;
  /** Called when the result is complete, before its last bytes are in the body. */
  readonly ended?: (statistics: QueryStatistics) => void;
  /** Only rows of this range are visible. Files without such rows are not read. */
  readonly range?: TimeRange;
  readonly timeoutMs: number;
  readonly memoryBytesMax: number;
  /** With `truncate`, the result is cut after `rowsMax` rows and marked. Without it, more rows are a `query_too_large`. */
  readonly rowsMax: number;
  readonly truncate: boolean;
  /** Cancels the query and frees what it holds. */
  readonly signal: AbortSignal;
}

/** A query that waits or runs. */
export interface RunningQuery {
  readonly id: string;
  readonly orgId: string;
  readonly origin: QueryOrigin;
  readonly sql: string;
  readonly state: "waiting" | "running";
  readonly askedAtMs: number;
  /** Null while it waits for a slot. */
  readonly startedAtMs: number | null;
  /** Rows and bytes of the files that it opens. Null until they are known. */
  readonly rowsPlanned: number | null;
  readonly bytesPlanned: number | null;
}

/** Why a query took long. */
export type SlowReason =
  | "waited"
  | "no_range"
  | "many_files"
  | "scanned_much"
  | "slow_reader"
  | "memory"
  | "computation";

/** Why a query was refused. `other`: for example because the server stops. */
export type QueryRefusal = "actor_waiting" | "organization_waiting" | "waited_too_long" | "scan_limit" | "other";

/** A query that has ended: it was answered, failed, was cancelled, or was refused before it ran. */
export interface QueryEvent {
  readonly id: string;
  readonly orgId: string;
  readonly origin: QueryOrigin;
  readonly sql: string;
  /** See `hashStatement`. */
  readonly sqlHash: string;
  readonly state: "done" | "failed" | "cancelled" | "refused";
  /** Why it was refused. Null: it was not. */
  readonly refusal: QueryRefusal | null;
  /** The code of the failure or refusal. Null when it was answered. */
  readonly code: string | null;
  readonly detail: string | null;
  /** The actor that cancelled it. Null when its caller has disconnected. */
  readonly cancelledBy: string | null;
  readonly askedAtMs: number;
  readonly waitMs: number;
  /** Until its files were known. */
  readonly planMs: number;
  readonly runMs: number;
  /** How long it waited for its reader. */
  readonly sendMs: number;
  /** Whole time since the request. */
  readonly elapsedMs: number;
  readonly tables: readonly string[];
  /** The times that the statement and the request select, in microseconds since the epoch. */
  readonly fromUs: number | null;
  readonly toUs: number | null;
  /** Rows and bytes of the files that were opened, and the number of files that were left out because of their times. */
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly filesRead: number;
  readonly filesSkipped: number;
  readonly rowsOut: number;
  readonly bytesOut: number;
  readonly memoryPeakBytes: number;
  /** The main reasons for its time. Empty for a fast query. */
  readonly slow: readonly SlowReason[];
}

/** The queries of this process. */
export interface RunningQueries {
  /** Lists the queries of an organization, or of all. */
  list(orgId?: string): RunningQuery[];
  /** Cancels these queries, and returns those that were found. `by`: the id of the actor. */
  cancel(ids: readonly string[], by: string): string[];
  /** Calls `listener` when a query begins. */
  onBegin(listener: () => void): void;
  /** Calls `listener` when a query has ended or was refused. */
  onEnd(listener: (event: QueryEvent) => void): void;
}

/** The tables and times that a statement reads, without running it. */
export interface StatementDescription {
  /** The names of the parameters. Positional ones have numbers from 1. */
  readonly parameters: readonly string[];
  /** The checked condition, as SQL that always chooses the same rows. */
  readonly condition?: string | undefined;
}

/** A running query whose first bytes have arrived. */
export interface QueryRun {
  readonly contentType: string;
  /** The result in the requested format. Destroying it cancels the query. */
  readonly body: Readable;
  /** Resolves before the body ends, with undefined when the result is incomplete. Never rejects. */
  readonly statistics: Promise<QueryStatistics | undefined>;
}

export interface QueryStatistics {
  /** Rows of the result. */
  readonly rows: number;
  readonly truncated: boolean;
  /** Milliseconds of work since the statement reached its process. */
  readonly elapsedMs: number;
  /** Rows and bytes of the opened files. Files whose times can't match are not opened. */
  readonly rowsScanned: number;
  readonly bytesScanned: number;
  readonly filesScanned: number;
  /** The number of files of the statement's tables. */
  readonly filesTotal: number;
  /** The number of rows of records that are left out because they can't be read. Absent when there are none. */
  readonly unreadable?: number;
}

/**
 * Stores batches durably and answers SQL over them. Every call names the organization, so that no call can read another
 * one's data.
 * `append` resolves when the batch is flushed to disk (`fdatasync`). A `query` that starts after that sees it.
 * @throws Problem `disk_full` or `unavailable` (503; nothing was stored), `idempotency_key_reused` (422)
 */
export interface TelemetryStore {
  append(batch: Batch): Promise<Appended>;
  /** @throws Problem `invalid_sql`, `sql_not_allowed`, `query_failed`, `query_timeout`, `query_cancelled`, `query_memory`, `query_too_large`, `rate_limited`, `telemetry_incomplete`, `unavailable` */
  query(request: QueryRequest): Promise<QueryRun>;
  readonly queries: RunningQueries;
  /**
   * Checks the organization's quotas. Called once for each request with telemetry, before its body is read.
   * @throws Problem `quota_exceeded`
   */
  admit(orgId: string): void;
  /**
   * Returns the times that rows may have. Do not append other rows. Undefined: any time, because the server's clock is
   * in doubt.
   */
  acceptedTimes(orgId: string, type: TelemetryType): AcceptedTimes | undefined;
  /** Returns the retention and quotas of an organization. */
  policy(orgId: string): Policy;
  usage(orgId: string): Usage;
  /** Returns SQL that is true for the rows of a type that a choice of retention would not keep now. */
  pastSql(type: TelemetryType, choice: RetentionChoice): string;
  /** Applies changes of retention, quotas and erasures at once. Otherwise this takes seconds. */
  refresh(): Promise<void>;
  /** Copies Parquet files of an organization into this store. They count from the commit of `insert`. */
  arrive(
    orgId: string,
    files: readonly ArrivingFile[],
    copied: (file: ArrivingFile) => void,
  ): Promise<ArrivedTelemetry>;
  /** Deletes the cached files of records, because rows of them were erased. */
  forgetRecords(table: RecordTable): Promise<void>;
  /**
   * Requires that this server can read every row of the organization. `query` calls it too.
   * @throws Problem `telemetry_incomplete`
   */
  requireWhole(orgId: string): Promise<void>;
  /** Does the same as `requireWhole`, but may reuse a result of the last second. */
  requireWholeLately(orgId: string): Promise<void>;
  readonly feed: TelemetryFeed;
  /**
   * Records a row of one of the server's own tables: the text of a JSON object with at least one of the table's columns. Never
   * throws and never waits, see `spool/`.
   */
  record(table: SpoolTable, orgId: string, row: string): void;
  /** Returns whether appends are possible now, and the reason if not. Has figures for `/metrics` and `doctor`. */
  health(): TelemetryHealth;
  /** Writes a small file as a test, and updates `health`. Rejects with the reason if batches can't be stored. */
  probe(): Promise<void>;
  sandbox(): Promise<readonly SandboxLayer[]>;
  /** Resolves when only a new process can write to the log. */
  readonly died: Promise<Error>;
  /** Finishes running appends and cancels queries. All data stays on disk. */
  close(): Promise<void>;
}

export interface TelemetryHealth extends StoreHealth {
  /** Bytes in the write-ahead log that are not yet in Parquet. */
  readonly logBytes: number;
  readonly hotRows: number;
  readonly parquetFiles: number;
  readonly parquetBytes: number;
  /** The number of merges since the start, and the bytes that they wrote. */
  readonly merges: number;
  readonly mergedBytes: number;
  readonly queriesRunning: number;
  readonly spool: SpoolFigures;
  readonly queriesWaiting: number;
  /** Bytes of batches that wait for the log. */
  readonly waitingBytes: number;
}
