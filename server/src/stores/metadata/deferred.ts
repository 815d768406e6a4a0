import type { Compilable, CompiledQuery, Transaction } from "kysely";
import type { Tables } from "./schema.ts";

/** The expected result of a statement. */
export interface Expected {
  /** Rows that it must have changed. */
  readonly changes: number;
  /** The error that the transaction fails with when it changed another number. */
  orElse(): Error;
}

/** A query of Kysely, or one that was compiled. */
export type Statement<R> = Compilable<R> | CompiledQuery<R>;

/** Ways of a transaction to wait less often for the database; see `Writer`. */
export interface Deferring {
  /**
   * Adds a statement whose result nobody asks for. It runs in its place, before the next statement and before the commit, but is sent together with
   * that: in SQLite all that is deferred up to the end of the transaction costs one message instead of one each. When it fails, or changes
   * another number of rows than expected, the next statement that is awaited rejects, or the commit does, and the transaction is
   * rolled back. So it is not for statements whose failure is to be caught.
   */
  defer(statement: Statement<unknown>, expected?: Expected): void;
  /**
   * The rows of a query at its place in the transaction; for few and small rows. SQLite reads them from committed state
   * at once, without asking the writer, which checks that they are the same when the transaction comes to that place.
   * When they are not, the work runs once more from its beginning, and waits. So it is for rows that other transactions
   * rarely change at the same moment.
   */
  readAhead<R>(query: Statement<R>): Promise<R[]>;
}

/** A statement that was deferred. */
export interface Deferred {
  readonly query: CompiledQuery;
  readonly expected?: Expected | undefined;
}

/** A driver's implementation of these, for one transaction. */
export interface Deferrer {
  add(deferred: Deferred): void;
  readAhead<R>(query: CompiledQuery<R>): Promise<R[]>;
  /** Resolves when nothing of it is under way any more. @throws what the first one failed with */
  settle(): Promise<void>;
  /** Ends the transaction at once: nothing of it is kept, and each statement of it that comes later rejects with the reason. */
  abort(reason: Error): void;
}

/** `isAgain`: the transaction failed because a row that was read ahead had changed. */
export type DeferrerOf = (tx: Transaction<Tables>, options: { readonly isAgain: boolean }) => Promise<Deferrer>;

/** The functions for a transaction, with its driver's implementation. */
export function deferringWith(deferrer: Deferrer): Deferring {
  return {
    defer: (statement, expected) => deferrer.add({ query: compiled(statement), expected }),
    readAhead: (query) => deferrer.readAhead(compiled(query)),
  };
}

function compiled<R>(statement: Statement<R>): CompiledQuery<R> {
  return "compile" in statement ? statement.compile() : statement;
}
