import type { StatementResult } from "./statements.ts";

/** The start and end of a group of transactions, a rewrite of the file between groups, and the end of the thread. */
export type Step = "begin" | "commit" | "compact" | "close";

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The required number of changed rows; undefined: any. */
  readonly changes?: number | undefined;
  /** The required rows; undefined: any. */
  readonly rows?: StatementResult["rows"] | undefined;
}

/**
 * The statements that a transaction sends at once. A group gets `begin`, then the turns of each transaction, then
 * `commit`; each transaction is a savepoint. A failed statement ends its turn, and the statements after it do not run.
 * When `begin`, `commit`, or the start or end of a savepoint fails, the whole group is rolled back, and every request
 * until the next `begin` is refused with the same reason.
 */
export interface Turn {
  /** The transaction's first turn, which sets its savepoint. */
  readonly opens: boolean;
  readonly statements: readonly Statement[];
  /** The transaction's last turn. `keep` also rolls back the transaction when a statement of the turn fails. */
  readonly closes?: "keep" | "undo";
}

export type WriterRequest = { step: Step } | Turn;

/**
 * A message is a list of requests, and is answered by a list in the same order. Before that, one answer says whether
 * the database was opened.
 */
export type WriterReply = { result: StatementResult } | { error: WriterFailure };

export interface WriterFailure {
  message: string;
  /** SQLite's extended result code, or 0 for another kind of failure. */
  errcode: number;
  /** The index in the turn of the statement that changed an unexpected number of rows, or returned unexpected rows. */
  unexpected?: number;
}

export interface WriterSettings {
  path: string;
  /** How long `begin` waits for another process that has locked the database. */
  busyTimeoutMs: number;
}

/** A request to a reader process, and its answer. */
export interface ReadRequest {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type ReadReply = { readonly rows: StatementResult["rows"] } | { readonly error: WriterFailure };
