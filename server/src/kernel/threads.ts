import { Worker } from "node:worker_threads";
import { Problem } from "./problem.ts";

/** One request for another thread. The values in `transfer` are moved and must not be used afterwards. */
export interface ThreadJob<Request> {
  readonly request: Request;
  /** The size that counts while the request waits. */
  readonly bytes: number;
  readonly transfer?: readonly ArrayBuffer[];
}

/** The answer of a thread, see `serveThread`. */
export type ThreadReply<Value> = { readonly value: Value } | { readonly refusal: unknown } | { readonly error: string };

/** Rejects a request that the thread refused. `refusal` is what the thread's `refusalOf` returned. */
export class ThreadRefusal extends Error {
  readonly refusal: unknown;

  constructor(refusal: unknown) {
    super("the thread refused the request");
    this.name = "ThreadRefusal";
    this.refusal = refusal;
  }
}

export interface ThreadsOptions {
  readonly script: URL;
  readonly max: number;
  /** The most bytes of waiting requests; further requests are refused. */
  readonly waitingBytesMax: number;
  readonly heapMiB: number;
  /** A thread without work ends after this time. */
  readonly idleMs: number;
}

interface Waiting<Request, Value> extends ThreadJob<Request> {
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts threads when there is work for them. Each has one request at a time. */
export class Threads<Request, Value> {
  readonly #options: ThreadsOptions;
  readonly #all = new Set<Worker>();
  readonly #idle = new Map<Worker, NodeJS.Timeout>();
  readonly #waiting: Waiting<Request, Value>[] = [];
  #waitingBytes = 0;
  #isClosed = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /** @throws Problem `unavailable` when too much waits already; ThreadRefusal; Error when the thread died */
  run(job: ThreadJob<Request>): Promise<Value> {
    if (this.#isClosed) throw new Problem("unavailable", "The server is stopping.");
    if (this.#waitingBytes > 0 && this.#waitingBytes + job.bytes > this.#options.waitingBytesMax) {
      const detail = "Too many large requests are waiting; send this one again shortly.";
      throw new Problem("unavailable", detail, { retryAfterS: 1 });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...job, resolve, reject });
      this.#waitingBytes += job.bytes;
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#idle.values()) clearTimeout(timer);
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
    for (const job of this.#waiting.splice(0)) job.reject(new Problem("unavailable", "The server is stopping."));
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#isClosed) return;
    const worker = this.#takeIdle() ?? (this.#all.size < this.#options.max ? this.#start() : undefined);
    const job = worker === undefined ? undefined : this.#waiting.shift();
    if (worker === undefined || job === undefined) return;
    this.#waitingBytes -= job.bytes;
    this.#give(worker, job);
  }

  #give(worker: Worker, { request, transfer = [], resolve, reject }: Waiting<Request, Value>): void {
    const settle = (isGood: boolean, finish: () => void): void => {
      worker.off("message", onReply).off("error", onError).off("exit", onExit);
      if (isGood) this.#rest(worker);
      else this.#all.delete(worker);
      finish();
      this.#next();
    };
    const onReply = (reply: ThreadReply<Value>): void =>
      settle(true, () => {
        if ("value" in reply) resolve(reply.value);
        else reject("refusal" in reply ? new ThreadRefusal(reply.refusal) : new Error(reply.error));
      });
    const onError = (error: Error): void => {
      void worker.terminate();
      settle(false, () => reject(error));
    };
    const onExit = (code: number): void => settle(false, () => reject(new Error(`a thread ended with code ${code}`)));
    worker.on("message", onReply).on("error", onError).on("exit", onExit);
    worker.ref();
    worker.postMessage(request, [...transfer]);
  }

  #takeIdle(): Worker | undefined {
    const [found] = this.#idle;
    if (found === undefined) return undefined;
    clearTimeout(found[1]);
    this.#idle.delete(found[0]);
    return found[0];
  }

  #rest(worker: Worker): void {
    worker.unref();
    const end = (): void => {
      this.#forget(worker);
      void worker.terminate();
    };
    this.#idle.set(worker, setTimeout(end, this.#options.idleMs).unref());
  }

  #start(): Worker {
    const { script, heapMiB } = this.#options;
    const worker = new Worker(script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: heapMiB } });
    this.#all.add(worker);
    // Between two requests there is no other listener, and an "error" without a listener would end the process.
    worker.on("error", () => this.#forget(worker));
    worker.on("exit", () => this.#forget(worker));
    return worker;
  }

  #forget(worker: Worker): void {
    this.#all.delete(worker);
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
  }
}
