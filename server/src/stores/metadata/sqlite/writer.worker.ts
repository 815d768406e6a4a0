/**
 * The one connection that writes, in a thread of its own, so that waiting for the disk holds nobody else up.
 * Entry point of a worker thread: `workerData` is `WriterSettings`, messages are `WriterRequest` and `WriterReply`.
 */
import { DatabaseSync } from "node:sqlite";
import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { isBusy, SqliteError } from "../errors.ts";
import type { Step, WriterFailure, WriterReply, WriterRequest, WriterSettings } from "./messages.ts";
import { Statements, type StatementResult } from "./statements.ts";

const NOTHING: StatementResult = { rows: [], changes: undefined };
const WAL_BYTES_KEPT = 64 * 1024 * 1024;
const OPEN_ATTEMPTS_MAX = 250;
const OPEN_RETRY_MS = 20;

const STEPS: Record<Exclude<Step, "close">, string> = {
  begin: "BEGIN IMMEDIATE",
  savepoint: "SAVEPOINT one",
  release: "RELEASE one",
  undo: "ROLLBACK TO one; RELEASE one",
  commit: "COMMIT",
};

function serve(port: MessagePort): void {
  const send = (reply: WriterReply): void => port.postMessage(reply);
  let connection: Connection;
  try {
    connection = new Connection(open(workerData as WriterSettings));
  } catch (error) {
    send({ error: describe(error) });
    return;
  }
  send({ result: NOTHING });
  port.on("message", (request: WriterRequest) => {
    send(connection.answer(request));
    if ("step" in request && request.step === "close") port.close();
  });
}

class Connection {
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  /** Why the group that was begun is no more. */
  #lost: WriterFailure | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#statements = new Statements(db);
  }

  answer(request: WriterRequest): WriterReply {
    try {
      return { result: "step" in request ? this.#take(request.step) : this.#run(request.sql, request.parameters) };
    } catch (error) {
      const failure = describe(error);
      if (this.#db.isOpen && !this.#db.isTransaction) this.#lost ??= failure;
      return { error: failure };
    }
  }

  #take(step: Step): StatementResult {
    if (step === "close") this.#close();
    else if (step === "begin") this.#begin();
    else this.#continue(step);
    return NOTHING;
  }

  #begin(): void {
    this.#lost = undefined;
    this.#db.exec(STEPS.begin);
  }

  #continue(step: "savepoint" | "release" | "undo" | "commit"): void {
    this.#assertInTransaction();
    try {
      this.#db.exec(STEPS[step]);
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
  }

  #run(sql: string, parameters: readonly unknown[]): StatementResult {
    this.#assertInTransaction();
    return this.#statements.run(sql, parameters);
  }

  /** SQLite ends a transaction by itself when the disk is full or fails; what came next would then commit statement by statement. */
  #assertInTransaction(): void {
    if (this.#db.isTransaction) return;
    const { message, errcode } = this.#lost ?? { message: "none was begun", errcode: 0 };
    throw new SqliteError(`cannot go on with the transaction: ${message}`, errcode);
  }

  #close(): void {
    this.#statements.clear();
    this.#db.close(); // writes the log back and removes it, unless somebody else has the database open
  }
}

function open({ path, busyTimeoutMs }: WriterSettings): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  for (let attempts = 1; ; attempts++) {
    try {
      // The switch to a write-ahead log fails at once when another process is opening the file: busy_timeout does not count there.
      db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${WAL_BYTES_KEPT}`);
      // What a row held is overwritten in its page: a request to erase somebody's data must not keep it.
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
  };
}

if (parentPort === null) throw new Error("cannot start the database writer: it runs in a worker thread only");
serve(parentPort);
