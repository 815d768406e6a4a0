import type { ProblemCode, TextPosition } from "#kernel/problem.ts";
import type { QueryParameter, ResultFormat, VisibleRows } from "../types.ts";
import type { TimeRange } from "../snapshot.ts";

/** The payload of a `query` frame. */
export interface ChildQuery {
  readonly orgId: string;
  readonly sql: string;
  readonly parameters: readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
  readonly format: ResultFormat;
  readonly describe?: boolean | undefined;
  readonly explain?: "plan" | "analyze" | undefined;
  readonly rowsMax: number;
  readonly truncate: boolean;
  readonly timeoutMs: number;
  readonly memoryBytesMax: number;
  readonly resultBytesMax: number;
  /** See `QueryEngineSettings`. */
  readonly pruning: boolean;
  readonly promotion: boolean;
}

/** The part of a table that a statement reads: rows outside the range can't be in its result. */
export interface AskedTable extends TimeRange {
  /** Attributes that it reads as text, and that may have separate columns. */
  readonly keys: readonly string[];
  /** Set when only this many newest rows can be in the result; the times of the files are needed then. */
  readonly latest?: number | undefined;
}

/** A file's range of times, both ends included, in microseconds since the epoch, and its rows. */
export type FileTimes = readonly [minUs: number, maxUs: number, rows: number];

/** The payload of an `ask` frame: the tables of an admitted statement, by name. */
export interface ChildAsk {
  readonly tables: Readonly<Record<string, AskedTable>>;
}

/** Parquet files that have columns for the same ones of the asked attributes. */
export interface ParquetGroup {
  readonly promoted: readonly string[];
  /** Severities were derived by older spellings of levels. */
  readonly oldSpellings?: boolean;
  readonly files: readonly string[];
  /** For each file, if they were asked for. The newest files come first then. */
  readonly times?: readonly FileTimes[];
}

export interface ChildTable {
  readonly parquet: readonly ParquetGroup[];
  readonly hot: readonly string[];
  /** Rows outside are not to be shown. */
  readonly range: TimeRange;
  /** Rows with another text there can't be in the result: what the child itself found in the statement. */
  readonly equal?: readonly ColumnText[];
}

/** A column of text, and one text. */
export interface ColumnText {
  readonly column: string;
  readonly text: string;
}

/**
 * The size of the files that a query opens, all of its tables together; `filesTotal` also counts those left out because
 * of their times.
 */
export interface ScanFigures {
  readonly rows: number;
  readonly bytes: number;
  readonly files: number;
  readonly filesTotal: number;
  /** Rows of records that were left out, since they can't be read. */
  readonly unreadable: number;
}

export const NO_FIGURES: ScanFigures = { rows: 0, bytes: 0, files: 0, filesTotal: 0, unreadable: 0 };

/** The payload of a `files` frame, the answer to `ask`. */
export interface ChildFiles {
  /** The directory for relative paths. */
  readonly directory: string;
  readonly visible: VisibleRows;
  readonly tables: Readonly<Record<string, ChildTable>>;
  readonly figures: ScanFigures;
}

/** Problems that a child may report. Anything else that it says is taken for `query_failed`. */
export const CHILD_PROBLEMS = [
  "invalid_sql",
  "sql_not_allowed",
  "invalid_parameter",
  "query_failed",
  "query_timeout",
  "query_memory",
  "query_too_large",
  "unavailable",
] as const satisfies readonly ProblemCode[];

export type ChildProblemCode = (typeof CHILD_PROBLEMS)[number];

/** The payload of a `fail` frame. */
export interface ChildFailure {
  readonly code: ChildProblemCode;
  readonly detail: string;
  /** Where in the statement it is. */
  readonly position?: TextPosition | undefined;
  /** Whether the failure has already been written into the result (see README, "Errors after the first byte"). */
  readonly told: boolean;
  /** The engine's own state may be damaged: the child is not to be used again. */
  readonly doubt: boolean;
}

/** The payload of an `end` frame. */
export interface ChildEnd {
  readonly rows: number;
  readonly truncated: boolean;
  readonly elapsedMs: number;
}
