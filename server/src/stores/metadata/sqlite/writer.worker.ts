/**
 * The only connection that writes, in a worker thread, so that waiting for the disk blocks nothing else. `workerData`
 * is `WriterSettings`, messages are `WriterRequest` and `WriterReply`.
 */
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { isBusy, SQLITE_FULL, SqliteError } from "../errors.ts";
import type { Statement, Step, Turn, WriterFailure, WriterReply, WriterRequest, WriterSettings } from "./messages.ts";
import { plainRow, Statements, type StatementResult } from "./statements.ts";

const NOTHING: StatementResult = { rows: [], changes: undefined };
const WAL_BYTES_KEPT = 64 * 1024 * 1024;
/** Below this, writes are refused. Otherwise they would succeed or fail by chance: the log may have free pages. */
const FREE_BYTES_MIN = 256 * 1024;
const OPEN_ATTEMPTS_MAX = 250;
const OPEN_RETRY_MS = 20;

const BEGIN = "BEGIN IMMEDIATE";
const COMMIT = "COMMIT";
const SAVEPOINT = "SAVEPOINT one";
const RELEASE = "RELEASE one";
const UNDO = "ROLLBACK TO one; RELEASE one";

function serve(port: MessagePort): void {
  const send = (replies: WriterReply[]): void => port.postMessage(replies);
  let connection: Connection;
  try {
    const settings = workerData as WriterSettings;
    connection = new Connection(open(settings), dirname(settings.path));
  } catch (error) {
    send([{ error: describe(error) }]);
    return;
  }
  send([{ result: NOTHING }]);
  port.on("message", (requests: readonly WriterRequest[]) => {
    send(requests.map((request) => connection.answer(request)));
    if (!connection.isOpen) port.close();
  });
}

class Connection {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #directory: string;
  /** Why the current group was rolled back. */
  #lost: WriterFailure | undefined;

  constructor(db: DatabaseSync, directory: string) {
    this.#db = db;
    this.#directory = directory;
    this.#statements = new Statements(db);
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  answer(request: WriterRequest): WriterReply {
    try {
      return { result: "step" in request ? this.#take(request.step) : this.#turn(request) };
    } catch (error) {
      const failure = describe(error);
      if (this.#db.isOpen && !this.#db.isTransaction) this.#lost ??= failure;
      return { error: failure };
    }
  }

  #take(step: Step): StatementResult {
    if (step === "close") this.#close();
    else if (step === "begin") this.#begin();
    else if (step === "compact") this.#compact();
    else this.#execute(COMMIT);
    return NOTHING;
  }

  #begin(): void {
    this.#lost = undefined;
    this.#requireSpace();
    this.#db.exec(BEGIN);
  }

  /** @throws SqliteError as SQLite does on a full disk */
  #requireSpace(): void {
    const { bavail, bsize } = statfsSync(this.#directory);
    if (bavail * bsize < FREE_BYTES_MIN)
      throw new SqliteError(`less than ${FREE_BYTES_MIN / 1024} KiB of the disk is free`, SQLITE_FULL);
  }

  /** Writes all pages again, without the bytes of deleted rows, and empties the log. */
  #compact(): void {
    this.#db.exec("VACUUM");
    const row = this.#db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (Number(row?.["busy"]) === 1)
      throw new SqliteError("cannot empty the log of the database: a read has used it for too long", 0);
  }

  #turn({ opens, statements, closes }: Turn): StatementResult {
    if (opens) this.#execute(SAVEPOINT);
    let result = NOTHING;
    try {
      for (const [at, { sql, parameters, ...expected }] of statements.entries()) {
        this.#assertInTransaction();
        result = this.#statements.run(sql, parameters);
        if (!isExpected(result, expected)) throw new Unexpected(at);
      }
    } catch (error) {
      if (closes !== undefined && this.#db.isTransaction) this.#execute(UNDO);
      throw error;
    }
    if (closes !== undefined) this.#execute(closes === "keep" ? RELEASE : UNDO);
    return result;
  }

  /** Runs a statement outside of a transaction's turn. A failure rolls back the group. */
  #execute(sql: string): void {
    this.#assertInTransaction();
    try {
      this.#db.exec(sql);
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  /**
   * SQLite itself ends a transaction when the disk is full or fails. Later statements would then be committed one by
   * one.
   */
  #assertInTransaction(): void {
    if (this.#db.isTransaction) return;
    const { message, errcode } = this.#lost ?? { message: "none was begun", errcode: 0 };
    throw new SqliteError(`cannot continue the transaction: ${message}`, errcode);
  }

  #close(): void {
    this.#statements.clear();
    this.#db.close(); // checkpoints and removes the log, unless another process has the database open
  }
}

class Unexpected extends Error {
  readonly at: number;

  constructor(at: number) {
    super("a statement had an unexpected result");
    this.at = at;
  }
}

function isExpected(result: StatementResult, { changes, rows }: Pick<Statement, "changes" | "rows">): boolean {
  if (changes !== undefined && result.changes !== changes) return false;
  return rows === undefined || isDeepStrictEqual(result.rows.map(plainRow), rows);
}

function open({ path, busyTimeoutMs }: WriterSettings): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  for (let attempts = 1; ; attempts++) {
    try {
      // The switch to a write-ahead log fails at once when another process is opening the file: busy_timeout has no
      // effect on it.
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`);
      // Overwrites deleted rows in their pages, so that an erasure leaves no bytes behind.
      db.exec("PRAGMA secure_delete = FAST");
      return db;
    } catch (error) {
      if (!isBusy(describe(error).errcode) || attempts === OPEN_ATTEMPTS_MAX) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPEN_RETRY_MS);
    }
  }
}

function describe(error: unknown): WriterFailure {
  const { errcode } = error as { errcode?: unknown };
  return {
    message: error instanceof Error ? error.message : String(error),
    errcode: typeof errcode === "number" ? errcode : 0,
    ...(error instanceof Unexpected ? { unexpected: error.at } : {}),
  };
}

if (parentPort === null) throw new Error("cannot start the database writer: it runs in a worker thread only");
serve(parentPort);
