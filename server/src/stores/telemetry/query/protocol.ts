import type { ProblemCode } from "#kernel/problem.ts";
import type { QueryParameter, ResultFormat, VisibleRows } from "../index.ts";
import type { SnapshotTable } from "../snapshot.ts";

/** The payload of a `query` frame. */
export interface ChildQuery {
  readonly orgId: string;
  readonly sql: string;
  readonly parameters: readonly QueryParameter[] | Readonly<Record<string, QueryParameter>>;
  readonly format: ResultFormat;
  readonly describe?: boolean | undefined;
  readonly visible: VisibleRows;
  readonly rowsMax: number;
  readonly truncate: boolean;
  readonly timeoutMs: number;
  readonly memoryBytesMax: number;
  readonly resultBytesMax: number;
  /** Files by table name. */
  readonly files: Readonly<Record<string, SnapshotTable>>;
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
  /** Whether the failure has already been written into the result (see README, "Errors after the first byte"). */
  readonly told: boolean;
  /** The engine's own state may be damaged: the child is not to be used again. */
  readonly doubt: boolean;
}

/** The payload of an `end` frame. */
export interface ChildEnd {
  readonly rows: number;
  readonly truncated: boolean;
}
