import { AsyncLocalStorage } from "node:async_hooks";
import type { Kysely, Transaction } from "kysely";
import { deferringWith, type Deferrer, type DeferrerOf } from "./deferred.ts";
import type { Tables } from "./schema.ts";
import type { Writer } from "./types.ts";

/** How long a transaction may hold the others up. */
export const TRANSACTION_DEADLINE_MS = 30_000;

interface RunOptions {
  readonly deadlineMs?: number;
  /** The work has run before, and what it read ahead was wrong. */
  readonly isAgain?: boolean;
}

/**
 * What both drivers put around a transaction: a deadline, a refusal of one transaction inside another (it would wait for
 * itself), and a close that waits for those under way.
 */
export class Transactions {
  readonly #db: Kysely<Tables>;
  readonly #deferrerOf: DeferrerOf;
  readonly #scope = new AsyncLocalStorage<{ running: boolean }>();
  readonly #underWay = new Set<Promise<unknown>>();
  #closed = false;

  constructor(db: Kysely<Tables>, deferrerOf: DeferrerOf) {
    this.#db = db;
    this.#deferrerOf = deferrerOf;
  }

  async run<T>(work: (tx: Writer) => Promise<T>, options: RunOptions = {}): Promise<T> {
    if (this.#closed) throw new Error("cannot begin a transaction: the metadata store is closed");
    if (this.#scope.getStore()?.running === true) {
      throw new Error("cannot begin a transaction: this code runs in one already; hand its `tx` on instead");
    }
    const result = this.#execute(work, options);
    this.#underWay.add(result);
    try {
      return await result;
    } finally {
      this.#underWay.delete(result);
    }
  }

  /** Refuses new transactions and resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
  }

  async #execute<T>(work: (tx: Writer) => Promise<T>, options: RunOptions): Promise<T> {
    const { deadlineMs = TRANSACTION_DEADLINE_MS, isAgain = false } = options;
    let failure: { error: unknown } | undefined;
    const attempt = async (tx: Transaction<Tables>): Promise<T> => {
      const scope = { running: true };
      const deferrer = await this.#deferrerOf(tx, { isAgain });
      try {
        const result = this.#scope.run(scope, work, Object.assign(tx, deferringWith(deferrer)));
        return await settled(withDeadline(result, deadlineMs), deferrer);
      } catch (error) {
        failure = { error };
        throw error;
      } finally {
        scope.running = false;
      }
    };
    // A rollback over a broken connection fails as well: what went wrong first is what the caller is told.
    return this.#db
      .transaction()
      .execute(attempt)
      .catch((error: unknown) => {
        throw failure === undefined ? error : failure.error;
      });
  }
}

/** Whatever comes of the work: none of its statements may be under way any more, and one that failed before it is the reason. */
async function settled<T>(result: Promise<T>, deferrer: Deferrer): Promise<T> {
  try {
    return await result;
  } finally {
    await deferrer.settle();
  }
}

async function withDeadline<T>(result: Promise<T>, deadlineMs: number): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`cannot finish the transaction: it took longer than ${deadlineMs} ms`)),
    deadlineMs,
  );
  try {
    return await Promise.race([result, expired]);
  } finally {
    clearTimeout(timer);
  }
}
