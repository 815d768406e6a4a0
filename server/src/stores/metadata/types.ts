import type { Kysely, Transaction } from "kysely";
import type { RecordLimits } from "#kernel/record-limits.ts";
import type { Deferring } from "./deferred.ts";
import type { Tables } from "./schema.ts";

/** Runs single statements on committed state. A transaction can't be begun on it; use `MetadataStore.write`. */
export type Reader = Kysely<Tables>;
export type Writer = Transaction<Tables> & Deferring;

/**
 * The product's records: organizations, identity, audit, manifests. Two drivers, the same migrations, the same contract suite.
 */
export interface MetadataStore {
  readonly dialect: "sqlite" | "postgres";
  /** How many of each thing may exist; see `domain/limits`. */
  readonly limits: RecordLimits;
  /**
   * Reads of committed state, each with a time limit (`read_timeout`). A read that begins after a commit was acknowledged sees it. In SQLite only what finds
   * its rows by whole unique keys runs on this thread; every list, filter and count runs in a process beside it.
   */
  readonly read: Reader;
  /**
   * Runs `work` in one read-write transaction and resolves when the commit is on disk. A throw rolls back everything that
   * `work` did. Transactions are serialised in SQLite; in PostgreSQL they are READ COMMITTED, and a serialisation failure or
   * deadlock is retried up to 5 times, as a read ahead that was overtaken is in SQLite, so `work` must have no effect outside the transaction.
   *
   * In `work`: await each statement before the next one, or `defer` it; wait for nothing but statements, since in SQLite every other writer
   * waits meanwhile; don't go on after a statement that failed, since the transaction is lost (use ON CONFLICT); don't call
   * `write`. A transaction that passes its deadline (`Waits`) sends nothing more: it is taken back,
   * and every later statement of its work rejects. Rejects with `Problem` `unavailable` or `disk_full` where the database can't take
   * writes now.
   */
  write<T>(work: (tx: Writer) => Promise<T>): Promise<T>;
  /**
   * Serialises, until the end of the transaction, every transaction that takes the same lock: a no-op in SQLite (one writer),
   * an advisory transaction lock in PostgreSQL. For sequences whose order must be their commit order: lock first, then read
   * the last number. Several are taken in their order.
   */
  lock(tx: Writer, ...names: readonly string[]): Promise<void>;
  /**
   * Calls `listener` soon after a transaction that called `notify` has committed, on every node (PostgreSQL: LISTEN/NOTIFY).
   * A hint only, it can be lost or come twice: the truth is polled. Returns the function that stops listening.
   */
  onNotify(channel: NotifyChannel, listener: () => void): () => void;
  notify(tx: Writer, channel: NotifyChannel): Promise<void>;
  /** Resolves when a trivial read answers; rejects with the reason otherwise. */
  ping(): Promise<void>;
  /** Resolves when the store can write no more, for good: only a new process can. Never where that can't happen. */
  readonly died?: Promise<Error>;
  /** Refuses further transactions, waits for those that run or wait, then closes the database. */
  close(): Promise<void>;
}

export type NotifyChannel = "auth_change" | "job";
