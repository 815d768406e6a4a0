import type { StatementResult } from "./statements.ts";

/** The begin and the end of a group of transactions, and of the thread. */
export type Step = "begin" | "commit" | "close";

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** How many rows it must change; undefined: any number. */
  readonly changes?: number | undefined;
  /** The rows that it must give; undefined: any. */
  readonly rows?: StatementResult["rows"] | undefined;
}

/**
 * The statements that a transaction sends at once; each turn is a savepoint in its group. A statement that fails ends
 * the turn, and those after it are not run. A group gets `begin`, then the turns of each transaction, then `commit`.
 * When `begin`, `commit`, or the beginning or end of a savepoint fails, the whole group is rolled back, and every
 * request up to the next `begin` is then refused for the same reason.
 */
export interface Turn {
  /** The transaction's first: sets its savepoint. */
  readonly opens: boolean;
  readonly statements: readonly Statement[];
  /** The transaction's last. `keep` takes the transaction back too when a statement of the turn fails. */
  readonly closes?: "keep" | "undo";
}

export type WriterRequest = { step: Step } | Turn;

/** A message is a list of requests, answered by a list in the same order. The first answer, unasked, says whether the database was opened. */
export type WriterReply = { result: StatementResult } | { error: WriterFailure };

export interface WriterFailure {
  message: string;
  /** SQLite's extended result code; 0 when the failure is not SQLite's. */
  errcode: number;
  /** Which statement of the turn changed another number of rows than it must, or gave other rows. */
  unexpected?: number;
}

export interface WriterSettings {
  path: string;
  /** How long `begin` waits for another process that holds the database. */
  busyTimeoutMs: number;
}

/** The requests of a reader process, and its answers. */
export interface ReadRequest {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type ReadReply = { readonly rows: StatementResult["rows"] } | { readonly error: WriterFailure };
