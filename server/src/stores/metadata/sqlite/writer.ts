import { Worker } from "node:worker_threads";
import { SqliteError } from "../errors.ts";
import type { Step, WriterReply, WriterRequest, WriterSettings } from "./messages.ts";
import type { StatementResult } from "./statements.ts";

/** The writer thread as seen from outside: requests are answered in their order. */
export class SqliteWriter {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<WriterReply>[] = [];
  #stopped: Error | undefined;

  private constructor(settings: WriterSettings) {
    this.#worker = new Worker(new URL("./writer.worker.ts", import.meta.url), {
      workerData: settings,
      name: "metadata-writer",
    });
    this.#worker.on("message", (reply: WriterReply) => this.#take(reply));
    this.#worker.on("error", (error: Error) => this.#stop(error));
    this.#worker.on("exit", () => this.#stop(new Error("it ended")));
  }

  /** Starts the thread and opens the database; rejects with SQLite's reason when that fails. */
  static async start(settings: WriterSettings): Promise<SqliteWriter> {
    const writer = new SqliteWriter(settings);
    unwrap(await writer.#next());
    return writer;
  }

  async step(step: Step): Promise<void> {
    unwrap(await this.#send({ step }));
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    return unwrap(await this.#send({ sql, parameters }));
  }

  /** Throws when the thread is no longer there. */
  assertAlive(): void {
    if (this.#stopped !== undefined) throw this.#stopped;
  }

  async close(): Promise<void> {
    if (this.#stopped !== undefined) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#worker.once("exit", () => resolve());
    await this.step("close");
    this.#worker.ref(); // no answer is awaited any more, but the end is
    await ended;
  }

  async #send(request: WriterRequest): Promise<WriterReply> {
    this.assertAlive();
    this.#worker.postMessage(request);
    return this.#next();
  }

  /** The thread keeps the process alive only while an answer is awaited. */
  #next(): Promise<WriterReply> {
    if (this.#waiting.length === 0) this.#worker.ref();
    const waiting = Promise.withResolvers<WriterReply>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #take(reply: WriterReply): void {
    this.#waiting.shift()?.resolve(reply);
    if (this.#waiting.length === 0) this.#worker.unref();
  }

  #stop(reason: Error): void {
    this.#stopped ??= new Error(
      `cannot write to the metadata database: its writer thread stopped (${reason.message}); restart the process`,
    );
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#stopped);
  }
}

/** Throws here, not where the reply came in, so that the stack shows the caller. */
function unwrap(reply: WriterReply): StatementResult {
  if ("error" in reply) throw new SqliteError(reply.error.message, reply.error.errcode);
  return reply.result;
}
