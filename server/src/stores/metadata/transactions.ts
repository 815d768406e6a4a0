import { AsyncLocalStorage } from "node:async_hooks";
import type { Kysely, Transaction } from "kysely";
import { Problem } from "#kernel/problem.ts";
import { deferringWith, type Deferrer, type DeferrerOf } from "./deferred.ts";
import type { Tables } from "./schema.ts";
import type { Writer } from "./types.ts";

export interface TransactionsOptions {
  readonly db: Kysely<Tables>;
  readonly deferrerOf: DeferrerOf;
  /** How long a transaction may block others. */
  readonly deadlineMs: number;
}

interface RunOptions {
  /** The work runs again, because rows that it read ahead had changed. */
  readonly isAgain?: boolean;
}

/**
 * Wraps the transactions of both drivers: sets a deadline, refuses a transaction inside another (it would wait for
 * itself), and lets `close` wait for running ones.
 */
export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #scope = new AsyncLocalStorage<{ running: boolean }>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  async run<T>(work: (tx: Writer) => Promise<T>, options: RunOptions = {}): Promise<T> {
    if (this.#closed) throw new Error("cannot begin a transaction: the metadata store is closed");
    if (this.#scope.getStore()?.running === true) {
      throw new Error("cannot begin a transaction: this code already runs in one; pass on its `tx` instead");
    }
    const result = this.#execute(work, options);
    this.#underWay.add(result);
    try {
      return await result;
    } finally {
      this.#underWay.delete(result);
    }
  }

  /** Refuses new transactions and resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
  }

  async #execute<T>(work: (tx: Writer) => Promise<T>, { isAgain = false }: RunOptions): Promise<T> {
    const { db, deferrerOf, deadlineMs } = this.#options;
    let failure: { error: unknown } | undefined;
    let deadline: Deadline | undefined;
    const attempt = async (tx: Transaction<Tables>): Promise<T> => {
      const scope = { running: true };
      const deferrer = await deferrerOf(tx, { isAgain });
      deadline = new Deadline(deadlineMs, deferrer);
      try {
        const result = this.#scope.run(scope, work, Object.assign(tx, deferringWith(deferrer)));
        return await settled(deadline.race(result), deferrer);
      } catch (error) {
        failure = { error };
        throw error;
      } finally {
        scope.running = false;
      }
    };
    try {
      return await db.transaction().execute(attempt);
    } catch (error) {
      // The rollback fails too on a broken connection. The caller gets the first error.
      if (deadline?.reason !== undefined) throw deadline.reason;
      throw failure === undefined ? error : failure.error;
    } finally {
      deadline?.stop();
    }
  }
}

/**
 * Waits after the work until none of its statements runs. A statement that failed first is the reason of the failure.
 */
async function settled<T>(result: Promise<T>, deferrer: Deferrer): Promise<T> {
  try {
    return await result;
  } finally {
    await deferrer.settle();
  }
}

/**
 * Ends a transaction that takes too long. Its work may still run, for example after the process was suspended, but
 * further statements are refused.
 */
class Deadline {
  /** The error of an expired transaction. */
  reason: Error | undefined;
  readonly #expired = Promise.withResolvers<never>();
  readonly #timer: NodeJS.Timeout;

  constructor(deadlineMs: number, deferrer: Deferrer) {
    this.#expired.promise.catch(() => {}); // the work may never settle
    this.#timer = setTimeout(() => {
      const cause = new Error(`cannot finish the transaction: it took longer than ${deadlineMs} ms`);
      const detail = `The change took longer than ${deadlineMs} ms and was rolled back. Try again shortly.`;
      this.reason = new Problem("unavailable", detail, { cause });
      deferrer.abort(this.reason);
      this.#expired.reject(this.reason);
    }, deadlineMs);
  }

  race<T>(result: Promise<T>): Promise<T> {
    return Promise.race([result, this.#expired.promise]);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
