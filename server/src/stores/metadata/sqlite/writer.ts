import { Worker } from "node:worker_threads";
import { programUrl } from "#kernel/programs.ts";
import { SqliteError } from "../errors.ts";
import type { Step, Turn, WriterReply, WriterRequest, WriterSettings } from "./messages.ts";
import type { StatementResult } from "./statements.ts";

/** A statement of a turn, given by its index, had an unexpected result. */
export class Unexpected extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.name = "Unexpected";
    this.at = at;
  }
}

/** The interface to the writer thread. It answers requests in order. */
export class SqliteWriter {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<WriterReply>[] = [];
  #unsent: WriterRequest[] = [];
  #stopped: Error | undefined;
  #closing = false;
  readonly #death = Promise.withResolvers<Error>();

  private constructor(settings: WriterSettings) {
    this.#worker = new Worker(programUrl("writer.worker"), {
      workerData: settings,
      name: "metadata-writer",
    });
    this.#worker.on("message", (replies: readonly WriterReply[]) => this.#take(replies));
    this.#worker.on("error", (error: Error) => this.#stop(error));
    this.#worker.on("exit", () => this.#stop(new Error("it ended")));
  }

  /** Starts the thread and opens the database. Rejects with SQLite's reason when that fails. */
  static async start(settings: WriterSettings): Promise<SqliteWriter> {
    const writer = new SqliteWriter(settings);
    unwrap(await writer.#next());
    return writer;
  }

  async step(step: Step): Promise<void> {
    unwrap(await this.#send({ step }));
  }

  /** Resolves to the result of the turn's last statement. @throws SqliteError, Unexpected */
  async turn(turn: Turn): Promise<StatementResult> {
    return unwrap(await this.#send(turn));
  }

  /** The number of requests without an answer. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when the thread has ended unexpectedly. */
  get died(): Promise<Error> {
    return this.#death.promise;
  }

  /** @throws Error when the thread has ended */
  assertAlive(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  async close(): Promise<void> {
    if (this.#stopped !== undefined) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#worker.once("exit", () => resolve());
    this.#closing = true;
    await this.step("close");
    this.#worker.ref(); // only the end of the thread matters now
    await ended;
  }

  async #send(request: WriterRequest): Promise<WriterReply> {
    this.assertAlive();
    // All requests of one turn of the event loop go into one message, because each message wakes the other thread.
    if (this.#unsent.length === 0) setImmediate(() => this.#flush());
    this.#unsent.push(request);
    return this.#next();
  }

  #flush(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    this.#worker.postMessage(requests);
  }

  /** The thread keeps the process alive only while a request waits for an answer. */
  #next(): Promise<WriterReply> {
    if (this.#waiting.length === 0) this.#worker.ref();
    const waiting = Promise.withResolvers<WriterReply>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #take(replies: readonly WriterReply[]): void {
    for (const [at, waiting] of this.#waiting.splice(0, replies.length).entries()) {
      const reply = replies[at];
      if (reply !== undefined) waiting.resolve(reply);
    }
    if (this.#waiting.length === 0) this.#worker.unref();
  }

  #stop(reason: Error): void {
    this.#stopped ??= new Error(
      `cannot write to the metadata database: its writer thread stopped (${reason.message}); restart the process`,
    );
    if (!this.#closing) this.#death.resolve(this.#stopped);
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#stopped);
  }
}

/** Throws in the caller's stack, not where the reply arrived. */
function unwrap(reply: WriterReply): StatementResult {
  if ("result" in reply) return reply.result;
  const { message, errcode, unexpected } = reply.error;
  throw unexpected === undefined ? new SqliteError(message, errcode) : new Unexpected(message, unexpected);
}
