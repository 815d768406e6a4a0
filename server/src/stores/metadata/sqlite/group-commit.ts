import { performance } from "node:perf_hooks";
import { isBusy, SqliteError } from "../errors.ts";
import type { Statement } from "./messages.ts";
import type { StatementResult } from "./statements.ts";
import type { SqliteWriter } from "./writer.ts";

const GROUP_TRANSACTIONS_MAX = 64;
const GROUP_MS_MAX = 10;

interface Group {
  /** Settles with the one COMMIT that all its transactions share. */
  committed: PromiseWithResolvers<void>;
  transactions: number;
  begunMs: number;
}

/**
 * Lets transactions run one after another and pays for one flush to disk per group of them: each is a savepoint inside one
 * BEGIN IMMEDIATE; when nobody waits, or the group has 64 transactions, or it is 10 ms old, one COMMIT settles them all.
 */
export class GroupCommit {
  readonly #writer: SqliteWriter;
  readonly #turns: (() => void)[] = [];
  #group: Group | undefined;
  #busy = false;
  /** Whether the transaction that has its turn has sent something yet: what was never sent needs no savepoint. */
  #opened = false;

  constructor(writer: SqliteWriter) {
    this.#writer = writer;
  }

  /** Waits for its turn and begins a transaction. `commit` or `undo` must follow, once. */
  async begin(): Promise<void> {
    await this.#turn();
    this.#opened = false;
    try {
      this.#group ??= await this.#openGroup();
    } catch (error) {
      this.#handOn();
      throw error;
    }
  }

  /** Runs statements in one message. Resolves to the result of the last one. */
  async run(statements: readonly Statement[]): Promise<StatementResult> {
    const opens = !this.#opened;
    this.#opened = true;
    return this.#writer.turn({ opens, statements });
  }

  /**
   * Runs what is left, ends the transaction and resolves when it is on disk; rejects when the group's COMMIT failed, and then nothing of it is kept,
   * or one of the statements, and then nothing of the transaction is.
   */
  async commit(statements: readonly Statement[] = []): Promise<void> {
    const group = this.#currentGroup();
    group.transactions += 1;
    // The next transaction doesn't wait for this answer: the thread takes what failed back by itself.
    const ended = this.#close(statements, "keep");
    this.#endTurn(group);
    await Promise.all([ended, group.committed.promise]);
  }

  /** Takes back what the transaction did; the others of its group keep theirs. */
  undo(): void {
    const group = this.#currentGroup();
    // When it fails, the thread fails the COMMIT too, which is where it is told.
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

  async #openGroup(): Promise<Group> {
    try {
      await this.#writer.step("begin");
    } catch (error) {
      if (!(error instanceof SqliteError) || !isBusy(error.errcode)) throw error;
      const reason = "another process has been writing to it for too long; stop that process, or try again";
      throw new SqliteError(`cannot begin a transaction: the database is locked (${reason})`, error.errcode);
    }
    const committed = Promise.withResolvers<void>();
    committed.promise.catch(() => {}); // a group may have nobody left who waits
    return { committed, transactions: 0, begunMs: performance.now() };
  }

  #endTurn(group: Group): void {
    const full = group.transactions >= GROUP_TRANSACTIONS_MAX || performance.now() - group.begunMs >= GROUP_MS_MAX;
    if (full || this.#turns.length === 0) void this.#closeGroup(group);
    else this.#handOn();
  }

  /** The next group begins behind the COMMIT, and gathers those who come while that waits for the disk. */
  async #closeGroup(group: Group): Promise<void> {
    this.#group = undefined;
    const committed = this.#writer.step("commit");
    this.#handOn();
    try {
      await committed;
      group.committed.resolve();
    } catch (error) {
      group.committed.reject(error);
    }
  }

  #handOn(): void {
    const next = this.#turns.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }

  #currentGroup(): Group {
    if (this.#group === undefined) throw new Error("cannot end a transaction: none is under way");
    return this.#group;
  }
}
