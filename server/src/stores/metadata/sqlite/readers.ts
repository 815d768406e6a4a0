import { fork, type ChildProcess } from "node:child_process";
import { childEnvironment } from "#kernel/child-environment.ts";
import { Problem } from "#kernel/problem.ts";
import { programUrl } from "#kernel/programs.ts";
import { readTimeout, SqliteError } from "../errors.ts";
import { readerNow } from "#kernel/read-for.ts";
import type { ReadReply, ReadRequest } from "./messages.ts";

const PROCESSES_MAX = 3;
/** When a process dies during a read, the statement runs again in a new process. */
const ATTEMPTS_MAX = 2;
const CLOSE_MS_MAX = 5_000;

type Row = Record<string, unknown>;

interface Job {
  readonly request: ReadRequest;
  /** The organization of the read; empty for the server itself. */
  readonly owner: string;
  readonly answer: PromiseWithResolvers<Row[]>;
  readonly timer: NodeJS.Timeout;
  attempts: number;
  /** The process that runs it; undefined while it waits. */
  process: ReaderProcess | undefined;
}

export interface ReadersSettings {
  readonly path: string;
  /** The longest time of a read, including its wait for a process. */
  readonly timeoutMs: number;
}

/**
 * Processes that read the database outside the event loop. They are started when needed, and killed when a statement
 * takes too long.
 */
export class Readers {
  readonly #settings: ReadersSettings;
  readonly #processes = new Set<ReaderProcess>();
  readonly #waiting: Job[] = [];
  readonly #running = new Set<Job>();
  #closed = false;

  constructor(settings: ReadersSettings) {
    this.#settings = settings;
  }

  /** @throws SqliteError; Problem `read_timeout` */
  run(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    if (this.#closed) return Promise.reject(new Error("cannot read: the metadata store is closed"));
    const timer = setTimeout(() => this.#expire(job), this.#settings.timeoutMs);
    const answer = Promise.withResolvers<Row[]>();
    const job: Job = {
      request: { sql, parameters },
      owner: readerNow(),
      answer,
      timer,
      attempts: 0,
      process: undefined,
    };
    this.#waiting.push(job);
    this.#next();
    return job.answer.promise;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#waiting.splice(0)) this.#fail(job, new Error("cannot read: the metadata store is closed"));
    await Promise.all([...this.#processes].map((process) => process.close()));
  }

  #next(): void {
    for (;;) {
      const job = this.#fairest();
      const process = job === undefined ? undefined : this.#freeProcess();
      if (process === undefined || job === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
      this.#running.add(job);
      job.attempts += 1;
      job.process = process;
      process.run(job.request).then(
        (reply) => this.#take(job, reply),
        (error: unknown) => this.#lost(job, error),
      );
    }
  }

  /**
   * Returns the oldest job of the organization with the fewest running jobs. One process is reserved for organizations
   * without any.
   */
  #fairest(): Job | undefined {
    const running = new Map<string, number>();
    for (const { owner } of this.#running) running.set(owner, (running.get(owner) ?? 0) + 1);
    let [fairest, fewest]: [Job | undefined, number] = [undefined, PROCESSES_MAX - 1];
    for (const job of this.#waiting) {
      const count = running.get(job.owner) ?? 0;
      if (count < fewest) [fairest, fewest] = [job, count];
      if (fewest === 0) break;
    }
    return fairest;
  }

  #freeProcess(): ReaderProcess | undefined {
    for (const process of this.#processes) if (!process.isBusy) return process;
    if (this.#processes.size >= PROCESSES_MAX) return undefined;
    const process = new ReaderProcess(this.#settings.path, () => this.#processes.delete(process));
    this.#processes.add(process);
    return process;
  }

  #take(job: Job, reply: ReadReply): void {
    clearTimeout(job.timer);
    job.process = undefined;
    this.#running.delete(job);
    if ("rows" in reply) job.answer.resolve(reply.rows);
    else job.answer.reject(new SqliteError(reply.error.message, reply.error.errcode));
    this.#next();
  }

  /** Handles the end of a process during its job. */
  #lost(job: Job, error: unknown): void {
    job.process = undefined;
    this.#running.delete(job);
    if (job.attempts >= ATTEMPTS_MAX || this.#closed) this.#fail(job, unreadable(error));
    else this.#waiting.unshift(job);
    this.#next();
  }

  #expire(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    job.attempts = ATTEMPTS_MAX;
    this.#fail(job, readTimeout(this.#settings.timeoutMs));
    job.process?.kill();
  }

  #fail(job: Job, error: unknown): void {
    clearTimeout(job.timer);
    job.answer.reject(error);
  }
}

function unreadable(cause: unknown): Problem {
  return new Problem("unavailable", "The records can't be read now. Try again shortly.", { cause });
}

/** A reader process, which runs one statement at a time. It keeps this process alive only during a request. */
class ReaderProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #answer: PromiseWithResolvers<ReadReply> | undefined;
  #isGone = false;

  constructor(path: string, onGone: () => void) {
    this.#child = fork(programUrl("reader.process"), [path], {
      env: { ...childEnvironment() },
      execArgv: [],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      // Ctrl-C in a terminal goes to the whole process group. The server must stop before its readers.
      detached: true,
    });
    const ended = Promise.withResolvers<void>();
    this.#ended = ended.promise;
    const end = (reason: string): void => {
      if (this.#isGone) return;
      this.#isGone = true;
      onGone();
      ended.resolve();
      this.#settle()?.reject(new Error(`the process that reads the records ended (${reason})`));
    };
    this.#child.on("message", (reply) => this.#settle()?.resolve(reply as ReadReply));
    this.#child.on("error", (error) => end(error.message));
    this.#child.on("exit", (code, signal) => end(signal ?? `exit ${code}`));
    this.#setAwaited(false);
  }

  get isBusy(): boolean {
    return this.#answer !== undefined || this.#isGone;
  }

  run(request: ReadRequest): Promise<ReadReply> {
    this.#answer = Promise.withResolvers();
    this.#setAwaited(true);
    this.#child.send(request, (error) => {
      if (error !== null) this.#child.kill("SIGKILL");
    });
    return this.#answer.promise;
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  async close(): Promise<void> {
    if (this.#isGone) return;
    this.#child.ref();
    const timer = setTimeout(() => this.kill(), CLOSE_MS_MAX);
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
    clearTimeout(timer);
  }

  #settle(): PromiseWithResolvers<ReadReply> | undefined {
    const answer = this.#answer;
    this.#answer = undefined;
    this.#setAwaited(false);
    return answer;
  }

  #setAwaited(isAwaited: boolean): void {
    if (isAwaited) {
      this.#child.ref();
      this.#child.channel?.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }
}
