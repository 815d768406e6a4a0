/** The default of `database_wait_ms`. */
export const DATABASE_WAIT_MS = 5_000;
/** The default of `records_read_timeout_ms`. */
const READ_TIMEOUT_MS = 10_000;

/** How long the parts of a change may wait. All of them follow from one number, so that an operator, or a test, moves them together. */
export interface Waits {
  /** For a free connection. */
  readonly connectionMs: number;
  /** For a lock that somebody else holds. */
  readonly lockMs: number;
  /** All that one request waits for connections and locks, one after another. */
  readonly requestMs: number;
  /** A node that says nothing for so long in the middle of a transaction loses it, and its locks. */
  readonly silenceMs: number;
  /** For another process that writes to the same SQLite file. */
  readonly fileMs: number;
  /** One statement, and one transaction with all of its statements. */
  readonly transactionMs: number;
  /** One read outside of transactions, in SQLite its wait for a process included. */
  readonly readMs: number;
}

/**
 * A transaction that waits for a lock ends (`lockMs`) before the one that has the lock is ended (`silenceMs`):
 * otherwise each transaction of a stopped node in the queue would get the lock in turn, and be silent in its turn. Both
 * together stay below the whole, as do `connectionMs` and `lockMs`.
 */
export function waitsOf(waitMs: number = DATABASE_WAIT_MS, readMs: number = READ_TIMEOUT_MS): Waits {
  return {
    connectionMs: Math.ceil(waitMs * 0.4),
    lockMs: Math.ceil(waitMs * 0.4),
    requestMs: Math.ceil(waitMs * 0.8),
    silenceMs: Math.ceil(waitMs * 0.5),
    fileMs: waitMs,
    transactionMs: waitMs * 6,
    readMs,
  };
}
