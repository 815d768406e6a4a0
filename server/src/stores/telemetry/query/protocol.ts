import type { ProblemCode, TextPosition } from "#kernel/problem.ts";
import type { QueryParameter, QueryRequest, ResultFormat, VisibleRows } from "../types.ts";
import type { KeptRows } from "../retention/plans.ts";
import type { TimeRange } from "../snapshot.ts";

/** The payload of a `query` frame. */
export interface ChildQuery {
  readonly orgId: string;
  readonly sql: string;
  readonly parameters: readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
  readonly format: ResultFormat;
  readonly describe?: boolean | undefined;
  /** As in `QueryRequest`. */
  readonly condition?: QueryRequest["condition"];
  readonly explain?: "plan" | "analyze" | undefined;
  readonly rowsMax: number;
  readonly truncate: boolean;
  readonly timeoutMs: number;
  readonly memoryBytesMax: number;
  readonly resultBytesMax: number;
  readonly threads: number;
  /** As in `QueryEngineSettings`. */
  readonly pruning: boolean;
  readonly promotion: boolean;
}

/** The part of a table that a statement reads. Rows outside the range can't be in its result. */
export interface AskedTable extends TimeRange {
  /** The attributes that the statement reads as text, and that may have separate columns. */
  readonly keys: readonly string[];
  /** Set when only this many newest rows can be in the result. The times of the files are then needed. */
  readonly latest?: number | undefined;
}

/** The first and last time of a file, in microseconds since the epoch, and its number of rows. */
export type FileTimes = readonly [minUs: number, maxUs: number, rows: number];

/** The payload of an `ask` frame: the tables of an admitted statement, by name. */
export interface ChildAsk {
  readonly tables: Readonly<Record<string, AskedTable>>;
}

/** Parquet files with columns for the same requested attributes. */
export interface ParquetGroup {
  readonly promoted: readonly string[];
  /** True if the severities were derived from the level names that older versions knew. */
  readonly oldSpellings?: boolean;
  readonly files: readonly string[];
  /** The times of each file, if requested. The newest file is then first. */
  readonly times?: readonly FileTimes[];
}

export interface ChildTable {
  readonly parquet: readonly ParquetGroup[];
  readonly hot: readonly string[];
  /** Rows outside of this range must stay hidden. */
  readonly range: TimeRange;
  /** Other rows must stay hidden. */
  readonly kept?: KeptRows | undefined;
  /** Rows with other texts in these columns can't be in the result. The child sets this from the statement. */
  readonly equal?: readonly ColumnText[];
}

/** A column and the text that it must have. */
export interface ColumnText {
  readonly column: string;
  readonly text: string;
}

/**
 * The size of the files that a query opens, for all tables together. `filesTotal` also counts files that were left out
 * because of their times.
 */
export interface ScanFigures {
  readonly rows: number;
  readonly bytes: number;
  readonly files: number;
  readonly filesTotal: number;
  /** The number of rows of records that are left out because they can't be read. */
  readonly unreadable: number;
}

export const NO_FIGURES: ScanFigures = { rows: 0, bytes: 0, files: 0, filesTotal: 0, unreadable: 0 };

/** The payload of a `files` frame, the answer to `ask`. */
export interface ChildFiles {
  /** Paths are relative to this directory. */
  readonly directory: string;
  readonly visible: VisibleRows;
  /** Tables with an actor's column show only the rows of this actor. Absent: all rows. */
  readonly onlyActor?: string | undefined;
  readonly tables: Readonly<Record<string, ChildTable>>;
  readonly figures: ScanFigures;
}

/** Whether the files may have rows that the caller does not see. */
export function hasHiddenRows({ visible, onlyActor }: Pick<ChildFiles, "visible" | "onlyActor">): boolean {
  return visible !== "all" || onlyActor !== undefined;
}

/** Problems that a child may report. All others become `query_failed`. */
export const CHILD_PROBLEMS = [
  "invalid_sql",
  "sql_not_allowed",
  "invalid_parameter",
  "query_failed",
  "query_timeout",
  "query_cancelled",
  "query_memory",
  "query_too_large",
  "unavailable",
] as const satisfies readonly ProblemCode[];

export type ChildProblemCode = (typeof CHILD_PROBLEMS)[number];

/** The payload of a `fail` frame. */
export interface ChildFailure {
  readonly code: ChildProblemCode;
  readonly detail: string;
  /** The place of the failure in the statement. */
  readonly position?: TextPosition | undefined;
  /** True if the failure is already part of the result (see README, "Errors after the first byte"). */
  readonly told: boolean;
  /** True if the engine's state may be damaged. The child must not be used again. */
  readonly doubt: boolean;
}

/** The payload of an `end` frame. */
export interface ChildEnd {
  readonly rows: number;
  readonly truncated: boolean;
  readonly elapsedMs: number;
}
