import type { SandboxLayer } from "./query/sandbox.ts";
import type { Readable } from "node:stream";
import type { TelemetryType } from "./columns.ts";
import type { Policy, Usage } from "./retention/index.ts";
import type { TelemetryFeed } from "./feed/types.ts";
import type { RecordTable } from "./records/index.ts";
import type { TimeRange } from "./snapshot.ts";

/** Rows of one organization and one type, validated and normalised, to be kept whole or not at all. */
export interface Batch {
  readonly orgId: string;
  readonly type: TelemetryType;
  /** Not to be changed after `append`. Rows as NDJSON: one JSON object a line with the members named in `COLUMNS`, absent for NULL; ends with a newline. */
  readonly rows: Buffer;
  /** CRC-32 of `rows`, when it is known already. */
  readonly rowsCrc?: number | undefined;
  /** How many lines `rows` has. */
  readonly count: number;
  /** Present when the caller sent an `Idempotency-Key`; both are SHA-256 in hexadecimal. */
  readonly idempotency?: { readonly keyHash: string; readonly bodyHash: string };
}

export interface Appended {
  /** Entries taken; for a repeated idempotency key, the number taken the first time. */
  readonly accepted: number;
  /** True when the same key and body had been taken before, and nothing was written now. */
  readonly replayed: boolean;
}

/** The formats in which a result can leave the engine. */
export type ResultFormat = "json" | "ndjson" | "csv" | "arrow" | "parquet";

export type QueryParameter = string | number | boolean | null;

/** Projects whose rows may be seen. `all`: every row. A list: rows of these projects, and rows of no project when `unassigned`. */
export type VisibleRows = "all" | { readonly projectIds: readonly string[]; readonly unassigned: boolean };

export interface QueryRequest {
  readonly orgId: string;
  /** A function is asked when the files are settled, so that no row of a project is among them that was not yet one. */
  readonly visible: VisibleRows | (() => Promise<VisibleRows>);
  readonly sql: string;
  /** Positional (`?`, `$1`) or named (`$name`) parameters. */
  readonly parameters: readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
  readonly format: ResultFormat;
  /** Runs nothing: a statement that could run is answered with a `StatementDescription` as JSON. */
  readonly describe?: boolean;
  /** Answers how the statement would be run, as JSON (`{"plan": …}`), or runs it and answers how it went. */
  readonly explain?: "plan" | "analyze" | undefined;
  /**
   * Called for each table of records that the statement reads: throws the Problem for a principal who may not read it.
   * Without it none may be read.
   */
  readonly records?: (table: RecordTable) => void;
  /** Only rows of this range are seen, and only files that may have some are read. */
  readonly range?: TimeRange;
  readonly timeoutMs: number;
  readonly memoryBytesMax: number;
  /**
   * With `truncate` the result is cut after `rowsMax` rows and marked; without, one more row is a `query_too_large`.
   */
  readonly rowsMax: number;
  readonly truncate: boolean;
  /** Cancels the query and frees what it holds. */
  readonly signal: AbortSignal;
}

/** The tables and times of a statement, without running it. */
export interface StatementDescription {
  /** Names of its parameters; numbers from 1 for those by position. */
  readonly parameters: readonly string[];
}

/** A running query whose first bytes have arrived: early failures are excluded. */
export interface QueryRun {
  readonly contentType: string;
  /** The result, already in the format asked for. Destroying it cancels the query. */
  readonly body: Readable;
  /** Settled before the body ends: what the query took, or undefined when the result is not whole. Never rejects. */
  readonly statistics: Promise<QueryStatistics | undefined>;
}

export interface QueryStatistics {
  /** Rows of the result. */
  readonly rows: number;
  readonly truncated: boolean;
  /** Milliseconds of work, from the statement's arrival at its process on. */
  readonly elapsedMs: number;
  /** Rows and bytes of the files that were opened: those that by their times can hold rows of the result. */
  readonly rowsScanned: number;
  readonly bytesScanned: number;
  readonly filesScanned: number;
  /** Files of the tables that the statement names. */
  readonly filesTotal: number;
  /** Rows of records that were left out, since they can't be read; absent when there are none. */
  readonly unreadable?: number;
}

/**
 * Takes batches durably and answers SQL over them. Every call names the organization: nothing in a store can be read without it.
 *
 * `append` resolves once the batch is flushed to disk (`fdatasync`), and a `query` that starts after that sees it.
 * @throws Problem `disk_full` or `unavailable` (503; nothing was kept), `idempotency_key_reused` (422)
 */
export interface TelemetryStore {
  append(batch: Batch): Promise<Appended>;
  /** @throws Problem `invalid_sql`, `sql_not_allowed`, `query_failed`, `query_timeout`, `query_memory`, `query_too_large`, `telemetry_incomplete`, `unavailable` */
  query(request: QueryRequest): Promise<QueryRun>;
  /**
   * Whether an organization's quotas let a request with telemetry in; asked once for each, before it is read. Costs nothing.
   * @throws Problem `quota_exceeded`
   */
  admit(orgId: string): void;
  /**
   * The oldest time that is not past its retention, as `YYYY-MM-DDTHH:MM:SS.ffffffZ`: rows before it are not to be appended, since nobody
   * could query them. Undefined: any time will do.
   */
  notBefore(orgId: string, type: TelemetryType): string | undefined;
  /** Retention and quotas that hold for an organization. */
  policy(orgId: string): Policy;
  /** The usage of an organization in this store. */
  usage(orgId: string): Usage;
  /** Applies changes of retention, quotas and erasures at once; without it, that takes seconds. */
  refresh(): Promise<void>;
  /**
   * Requires that this server can read every row of the organization. Queries call it themselves.
   * @throws Problem `telemetry_incomplete`
   */
  requireWhole(orgId: string): Promise<void>;
  /** As `requireWhole`, for repeated calls: the result may be a second old. */
  requireWholeLately(orgId: string): Promise<void>;
  readonly feed: TelemetryFeed;
  /** Whether appends are possible now, and why not; figures for `/metrics` and `doctor`. */
  health(): TelemetryHealth;
  /** The layers of protection of the processes that run SQL. */
  sandbox(): Promise<readonly SandboxLayer[]>;
  /** Resolves when the log can take no more, for good: only a new process can. */
  readonly died: Promise<Error>;
  /** Finishes appends in flight, cancels queries, leaves everything on disk. */
  close(): Promise<void>;
}

export interface TelemetryHealth {
  readonly ok: boolean;
  readonly detail: string;
  /** Bytes in the write-ahead log that are not yet in Parquet. */
  readonly logBytes: number;
  readonly hotRows: number;
  readonly parquetFiles: number;
  readonly parquetBytes: number;
  /** Merges since the start, and the bytes that they have written. */
  readonly merges: number;
  readonly mergedBytes: number;
  readonly queriesRunning: number;
}
