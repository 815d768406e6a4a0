import { performance } from "node:perf_hooks";
import { isBusy, SqliteError } from "../errors.ts";
import type { Statement } from "./messages.ts";
import type { StatementResult } from "./statements.ts";
import type { SqliteWriter } from "./writer.ts";

const GROUP_TRANSACTIONS_MAX = 64;
const GROUP_MS_MAX = 10;

interface Group {
  /** Rejects when BEGIN failed, with the reason for all later failures. */
  readonly begun: Promise<void>;
  /** Settles with the one COMMIT that all its transactions share. */
  readonly committed: PromiseWithResolvers<void>;
  readonly begunMs: number;
  transactions: number;
}

/**
 * Lets transactions run one after another and pays for one flush to disk per group of them: each is a savepoint inside one BEGIN IMMEDIATE; one
 * COMMIT settles them all when nobody waits and the COMMIT before it is done, or the group has 64 transactions, or it is 10 ms old.
 */
export class GroupCommit {
  readonly #writer: SqliteWriter;
  readonly #groupMsMax: number;
  readonly #turns: (() => void)[] = [];
  /** The group that the next transaction joins. */
  #group: Group | undefined;
  /** That of the transaction that has its turn. */
  #own: Group | undefined;
  /** Whether that transaction has sent a statement yet: without one it needs no savepoint. */
  #opened = false;
  #busy = false;
  /** COMMITs under way. */
  #committing = 0;

  constructor(writer: SqliteWriter, groupMsMax = GROUP_MS_MAX) {
    this.#writer = writer;
    this.#groupMsMax = groupMsMax;
  }

  /** Waits for its turn and begins a transaction. `commit` or `undo` must follow, once. */
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

  /**
   * Runs the remaining statements, ends the transaction and resolves when it is on disk. Rejects when the group's
   * COMMIT failed, and then nothing of the group is kept, or when one of the statements failed, and then nothing of the
   * transaction is.
   */
  async commit(statements: readonly Statement[] = []): Promise<void> {
    const group = this.#ownGroup();
    group.transactions += 1;
    // The next transaction doesn't wait for this answer: the thread takes what failed back by itself.
    const ended = because(group, this.#close(statements, "keep"));
    this.#endTurn(group);
    await Promise.all([ended, group.committed.promise]);
  }

  /** Takes back what the transaction did; the others of its group keep theirs. */
  undo(): void {
    const group = this.#ownGroup();
    // When it fails, the thread fails the COMMIT too, which reports it.
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

  /** Nobody waits for the answer to BEGIN: the statements after it fail when it does. */
  #openGroup(): Group {
    const begun = this.#writer.step("begin").catch((error: unknown) => {
      throw readable(error);
    });
    const committed = Promise.withResolvers<void>();
    const group = { begun, committed, transactions: 0, begunMs: performance.now() };
    committed.promise.catch(() => {}); // a group may have nobody left who waits
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

  /** While a COMMIT is under way, those who come gather in the next group. */
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
    if (this.#own === undefined) throw new Error("cannot go on with a transaction: none is under way");
    return this.#own;
  }
}

/** A failure after a failed BEGIN gets the reason of that. */
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
