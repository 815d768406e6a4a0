/** The default of `database_wait_ms`. */
export const DATABASE_WAIT_MS = 5_000;
/** The default of `records_read_timeout_ms`. */
const READ_TIMEOUT_MS = 10_000;

/**
 * The longest waits of a change. All are computed from one number, so that an operator or a test changes them together.
 */
export interface Waits {
  /** For a free connection. */
  readonly connectionMs: number;
  /** For a lock that another transaction holds. */
  readonly lockMs: number;
  /** For all connections and locks of one request in total. */
  readonly requestMs: number;
  /** A transaction ends, with its locks, when its node sends nothing for this long. */
  readonly silenceMs: number;
  /** For another process that writes to the same SQLite file. */
  readonly fileMs: number;
  /** One statement, and one transaction with all of its statements. */
  readonly transactionMs: number;
  /** One read outside of transactions. In SQLite it includes the wait for a process. */
  readonly readMs: number;
}

/**
 * Computes the waits. A transaction that waits for a lock (`lockMs`) ends before the silent transaction that holds it
 * (`silenceMs`). Otherwise several silent transactions of a stopped node would get the lock one after another. `lockMs`
 * + `silenceMs`, and `connectionMs` + `lockMs`, are less than the total.
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
