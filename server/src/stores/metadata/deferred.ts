import type { Compilable, CompiledQuery, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

/** The expected result of a statement. */
export interface Expected {
  /** Rows that it must have changed. */
  readonly changes: number;
  /** Creates the error of the transaction for any other number of changed rows. */
  orElse(): Error;
}

/** A Kysely query, or a compiled one. */
export type Statement<R> = Compilable<R> | CompiledQuery<R>;

/** Functions of a transaction that save round trips to the database; see `Writer`. */
export interface Deferring {
  /**
   * Adds a statement whose result is not needed. It runs in order, before the next statement or the commit, and is sent
   * together with that. So in SQLite all statements that are deferred until the end of a transaction cost one message
   * in total. When a deferred statement fails, or changes another number of rows than expected, the next awaited
   * statement or the commit rejects, and the transaction is rolled back. Do not defer a statement whose failure you
   * want to catch.
   */
  defer(statement: Statement<unknown>, expected?: Expected): void;
  /**
   * Reads a few small rows as at this place in the transaction. SQLite reads them at once from committed state, without
   * a message to the writer. The writer later checks that they are the same at that place. If they are not, the work
   * runs again from its beginning and waits. Use it for rows that other transactions rarely change at the same moment.
   */
  readAhead<R>(query: Statement<R>): Promise<R[]>;
}

export interface Deferred {
  readonly query: CompiledQuery;
  readonly expected?: Expected | undefined;
}

/** A driver's implementation of `Deferring`, for one transaction. */
export interface Deferrer {
  add(deferred: Deferred): void;
  readAhead<R>(query: CompiledQuery<R>): Promise<R[]>;
  /** Resolves when no deferred statement is under way. @throws the error of the first failed statement */
  settle(): Promise<void>;
  /** Rolls back the transaction at once. Each later statement of it rejects with the reason. */
  abort(reason: Error): void;
}

/** `isAgain` is true when the work runs again because a row that was read ahead had changed. */
export type DeferrerOf = (tx: Transaction<Tables>, options: { readonly isAgain: boolean }) => Promise<Deferrer>;

/** Returns the functions for a transaction, with its driver's implementation. */
export function deferringWith(deferrer: Deferrer): Deferring {
  return {
    defer: (statement, expected) => deferrer.add({ query: compiled(statement), expected }),
    readAhead: (query) => deferrer.readAhead(compiled(query)),
  };
}

function compiled<R>(statement: Statement<R>): CompiledQuery<R> {
  return "compile" in statement ? statement.compile() : statement;
}
