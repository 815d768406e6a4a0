import { performance } from "node:perf_hooks";
import { isBusy, SqliteError } from "../errors.ts";
import type { Statement } from "./messages.ts";
import type { StatementResult } from "./statements.ts";
import type { SqliteWriter } from "./writer.ts";

const GROUP_TRANSACTIONS_MAX = 64;
const GROUP_MS_MAX = 10;

interface Group {
  /** Rejects with the reason when BEGIN failed. Later failures have the same reason. */
  readonly begun: Promise<void>;
  /** Settles with the COMMIT that all transactions of the group share. */
  readonly committed: PromiseWithResolvers<void>;
  readonly begunMs: number;
  transactions: number;
}

/**
 * Runs transactions one after another and flushes to disk once per group. A group is one BEGIN IMMEDIATE with a
 * savepoint for each transaction. One COMMIT ends the group: when no transaction waits and the previous COMMIT is done,
 * or after 64 transactions, or after 10 ms.
 */
export class GroupCommit {
  readonly #writer: SqliteWriter;
  readonly #groupMsMax: number;
  readonly #turns: (() => void)[] = [];
  /** The group that the next transaction joins. */
  #group: Group | undefined;
  /** The group of the current transaction. */
  #own: Group | undefined;
  /** Whether the current transaction has sent a statement. Before that it needs no savepoint. */
  #opened = false;
  #busy = false;
  /** Number of COMMITs under way. */
  #committing = 0;

  constructor(writer: SqliteWriter, groupMsMax = GROUP_MS_MAX) {
    this.#writer = writer;
    this.#groupMsMax = groupMsMax;
  }

  /** Waits until it is this transaction's turn. `commit` or `undo` must follow, once. */
  async begin(): Promise<void> {
    await this.#turn();
    this.#opened = false;
    this.#own = this.#group ??= this.#openGroup();
  }

  /** Runs statements in one message. Resolves to the result of the last one. */
  async run(statements: readonly Statement[]): Promise<StatementResult> {
    const opens = !this.#opened;
    this.#opened = true;
    return because(this.#ownGroup(), this.#writer.turn({ opens, statements }));
  }

  /** Runs a step of the writer between two groups. */
  async between(step: "compact"): Promise<void> {
    await this.#turn();
    try {
      if (this.#group !== undefined) await this.#closeGroup(this.#group);
      await this.#writer.step(step);
    } finally {
      this.#handOn();
      this.#settle();
    }
  }

  /**
   * Runs the remaining statements, ends the transaction and resolves when it is on disk. Rejects when one of the
   * statements failed, and then the transaction is rolled back. Rejects when the group's COMMIT failed, and then the
   * whole group is rolled back.
   */
  async commit(statements: readonly Statement[] = []): Promise<void> {
    const group = this.#ownGroup();
    group.transactions += 1;
    // The next transaction need not wait for this answer, because the thread itself rolls back a failed transaction.
    const ended = because(group, this.#close(statements, "keep"));
    this.#endTurn(group);
    await Promise.all([ended, group.committed.promise]);
  }

  /** Rolls back the transaction; the others of its group are not affected. */
  undo(): void {
    const group = this.#ownGroup();
    // If this fails, the thread fails the COMMIT too, and that is reported.
    this.#close([], "undo").catch(() => {});
    this.#endTurn(group);
  }

  async #close(statements: readonly Statement[], closes: "keep" | "undo"): Promise<void> {
    const opens = !this.#opened;
    if (opens && statements.length === 0) return;
    await this.#writer.turn({ opens, statements, closes });
  }

  async #turn(): Promise<void> {
    if (this.#busy) {
      const { promise: turn, resolve } = Promise.withResolvers<void>();
      this.#turns.push(resolve);
      await turn;
    }
    this.#busy = true;
  }

  /** Starts a group without awaiting BEGIN: when it fails, the statements after it fail too. */
  #openGroup(): Group {
    const begun = this.#writer.step("begin").catch((error: unknown) => {
      throw readable(error);
    });
    const committed = Promise.withResolvers<void>();
    const group = { begun, committed, transactions: 0, begunMs: performance.now() };
    committed.promise.catch(() => {}); // perhaps no transaction of the group waits any more
    begun.catch((error: unknown) => {
      committed.reject(error);
      // A later transaction tries again.
      if (this.#group === group) this.#group = undefined;
    });
    return group;
  }

  #endTurn(group: Group): void {
    this.#own = undefined;
    if (this.#isFull(group)) void this.#closeGroup(group);
    this.#handOn();
    this.#settle();
  }

  /** Commits the group. While a COMMIT is under way, new transactions gather in the next group. */
  #settle(): void {
    const group = this.#group;
    if (group !== undefined && !this.#busy && this.#committing === 0) void this.#closeGroup(group);
  }

  async #closeGroup(group: Group): Promise<void> {
    if (this.#group === group) this.#group = undefined;
    this.#committing += 1;
    try {
      await this.#writer.step("commit");
      group.committed.resolve();
    } catch (error) {
      group.committed.reject(error);
    }
    this.#committing -= 1;
    this.#settle();
  }

  #handOn(): void {
    const next = this.#turns.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }

  #isFull({ transactions, begunMs }: Group): boolean {
    return transactions >= GROUP_TRANSACTIONS_MAX || performance.now() - begunMs >= this.#groupMsMax;
  }

  #ownGroup(): Group {
    if (this.#own === undefined) throw new Error("cannot continue a transaction: none is under way");
    return this.#own;
  }
}

/** Replaces the error after a failed BEGIN by the error of BEGIN. */
async function because<T>(group: Group, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    await group.begun;
    throw error;
  }
}

function readable(error: unknown): unknown {
  if (!(error instanceof SqliteError) || !isBusy(error.errcode)) return error;
  const reason = "another process has been writing to it for too long; stop that process, or try again";
  return new SqliteError(`cannot begin a transaction: the database is locked (${reason})`, error.errcode);
}
