import type { StatementResult } from "./statements.ts";

/**
 * The steps of a group commit, in the order that the writer takes them: `begin` (one for the group), then for each
 * transaction `savepoint`, its statements, and `release` or `undo`; at last `commit`. A step that fails
 * rolls the whole group back, and every request up to the next `begin` is then refused for the same reason.
 */
export type Step = "begin" | "savepoint" | "release" | "undo" | "commit" | "close";

export type WriterRequest = { step: Step } | { sql: string; parameters: readonly unknown[] };

/** Answers come in the order of the requests; the first one, unasked, says whether the database was opened. */
export type WriterReply = { result: StatementResult } | { error: WriterFailure };

export interface WriterFailure {
  message: string;
  /** SQLite's extended result code; 0 when the failure is not SQLite's. */
  errcode: number;
}

export interface WriterSettings {
  path: string;
  /** How long `begin` waits for another process that holds the database. */
  busyTimeoutMs: number;
}
