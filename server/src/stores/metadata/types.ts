import type { Kysely, Transaction } from "kysely";
import type { RecordLimits } from "#kernel/record-limits.ts";
import type { Deferring } from "./deferred.ts";
import type { Tables } from "./schema.ts";

/** Runs single statements on committed state. It cannot begin a transaction: use `MetadataStore.write`. */
export type Reader = Kysely<Tables>;
export type Writer = Transaction<Tables> & Deferring;

/**
 * The product's records: organizations, identity, audit, telemetry files. Both drivers have the same migrations and
 * pass the same tests.
 */
export interface MetadataStore {
  readonly dialect: "sqlite" | "postgres";
  /** The most records of each kind; see `domain/limits`. */
  readonly limits: RecordLimits;
  /**
   * Reads committed state, each read with a time limit (`read_timeout`). A read after an acknowledged commit sees it.
   * In SQLite, only reads by whole unique keys and short pages run on this thread. All other lists, filters and counts
   * run in a reader process.
   */
  readonly read: Reader;
  /**
   * Runs `work` in one read-write transaction and resolves when the commit is on disk. An exception rolls back
   * everything that `work` did. SQLite serializes transactions. In PostgreSQL they are READ COMMITTED. `work` runs
   * again, up to 5 times, after a serialization failure or deadlock (PostgreSQL), or when rows that it read ahead have
   * changed (SQLite). So it must have no effects outside the transaction.
   *
   * In `work`: await each statement before the next one, or `defer` it. Await only statements, because in SQLite every
   * other writer waits meanwhile. Stop after a failed statement, because the transaction is lost (use ON CONFLICT). Do
   * not call `write`. A transaction that passes its deadline (`Waits`) is rolled back, and every later statement of its
   * work rejects. Rejects with `Problem` `unavailable` or `disk_full` when the database cannot take writes now.
   */
  write<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
  /**
   * Serializes all transactions that take the same lock, until the end of this one. In SQLite it does nothing (there is
   * one writer), in PostgreSQL it is an advisory transaction lock. Use it for sequences whose order must be their
   * commit order: lock first, then read the last number. Several locks are taken in the given order.
   */
  lock(tx: Writer, ...names: readonly string[]): Promise<void>;
  /**
   * Calls `listener` soon after a transaction that called `notify` has committed, on every node (PostgreSQL:
   * LISTEN/NOTIFY). Notifications can be lost or arrive twice, so listeners must also poll. Returns a function that
   * stops listening.
   */
  onNotify(channel: NotifyChannel, listener: () => void): () => void;
  notify(tx: Writer, channel: NotifyChannel): Promise<void>;
  /**
   * Removes the bytes of deleted rows from the files. In SQLite it writes the whole file again, and transactions wait
   * meanwhile.
   */
  compact(): Promise<void>;
  /** Resolves when a trivial read answers. Rejects with the reason otherwise. */
  ping(): Promise<void>;
  /** Resolves when the store can never write again in this process. Absent when that cannot happen. */
  readonly died?: Promise<Error>;
  /** The number of messages that wait for the writing thread. Absent without such a thread. */
  readonly writerQueue?: () => number;
  /** Refuses new transactions, waits for running and waiting ones, then closes the database. */
  close(): Promise<void>;
}

export type NotifyChannel = "auth_change" | "job" | "query";
