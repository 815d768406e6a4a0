import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { Problem, type ProblemCode, type ProblemPlace } from "#kernel/problem.ts";
import { programUrl } from "#kernel/programs.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { decodedUpTo, type Coding } from "./coding.ts";
import { encodeBody, type EncodeBodyOptions, type EncodedBody } from "./encode.ts";
import { bytesOf, joined, type SentBody } from "./sent-body.ts";

/** Bodies below this are encoded where they are: handing them over would cost more. */
export const INLINE_BYTES_MAX = 512 * 1024;
/** OTLP says once what each row repeats, so a small body can be much work. */
const INLINE_OTLP_BYTES_MAX = 64 * 1024;
/** Compressed bodies above this are decompressed in the thread that encodes them; below it few become large. */
const INLINE_COMPRESSED_BYTES_MAX = 32 * 1024;

const WORKERS_MAX = 4;
/** Bodies that wait for a thread, as they were sent; one more is refused. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
/** A body of the largest size needs a fraction of it. */
const WORKER_HEAP_MIB = 512;

export interface EncoderPool {
  /**
   * `encodeBody`, in another thread when the body is large. A large body is transferred and must not be used
   * afterwards.
   * @throws Problem as `encodeBody` does, `unavailable` when too much waits already; Error when the thread died
   */
  encode(type: TelemetryType, body: Buffer | SentBody, options: EncodeBodyOptions): Promise<EncodedBody>;
  close(): Promise<void>;
}

export interface EncoderPoolOptions {
  /** How many threads; from the number of cores when null. */
  readonly workers: number | null;
  /** The script that the threads run; replaced in tests. */
  readonly script?: URL;
  /** 256 MiB when absent. */
  readonly waitingBytesMax?: number;
}

export interface EncodeRequest {
  readonly type: TelemetryType;
  readonly pieces: readonly Uint8Array[];
  readonly coding: Coding | undefined;
  readonly options: EncodeBodyOptions;
}

export type EncodeReply =
  | { readonly encoded: Omit<EncodedBody, "rows"> & { readonly rows: Uint8Array } }
  | {
      readonly problem: {
        readonly code: ProblemCode;
        readonly detail: string;
        readonly errors: readonly ProblemPlace[];
      };
    }
  | { readonly error: string };

interface Job {
  readonly request: EncodeRequest;
  readonly bytes: number;
  readonly resolve: (encoded: EncodedBody) => void;
  readonly reject: (reason: Error) => void;
}

export function createEncoderPool(options: EncoderPoolOptions): EncoderPool {
  const workers = options.workers ?? Math.min(WORKERS_MAX, Math.max(1, availableParallelism() - 1));
  const threads = new Threads({
    max: workers,
    script: options.script ?? programUrl("encoder.worker"),
    waitingBytesMax: options.waitingBytesMax ?? WAITING_BYTES_MAX,
  });
  return {
    encode: async (type, body, encodeOptions) => {
      const sent = Buffer.isBuffer(body) ? { pieces: [body] } : body;
      const small = await smallBody(sent, encodeOptions);
      if (small !== undefined) return encodeBody(type, small, encodeOptions);
      return threads.encode({ type, ...sent, coding: sent.coding, options: encodeOptions });
    },
    close: () => threads.close(),
  };
}

/** The body without its coding when it is encoded here; undefined when it is for a thread. */
async function smallBody(sent: SentBody, { otlp }: EncodeBodyOptions): Promise<Buffer | undefined> {
  const bytesMax = otlp === undefined ? INLINE_BYTES_MAX : INLINE_OTLP_BYTES_MAX;
  const { coding } = sent;
  if (coding === undefined) return bytesOf(sent) < bytesMax ? joined(sent) : undefined;
  return bytesOf(sent) < INLINE_COMPRESSED_BYTES_MAX ? decodedUpTo(bytesMax, joined(sent), coding) : undefined;
}

/** Threads that are started when there is work for them, each with one request at a time. */
class Threads {
  readonly #max: number;
  readonly #script: URL;
  readonly #waitingBytesMax: number;
  readonly #all = new Set<Worker>();
  readonly #idle: Worker[] = [];
  readonly #waiting: Job[] = [];
  #waitingBytes = 0;
  #closed = false;

  constructor(options: { max: number; script: URL; waitingBytesMax: number }) {
    this.#max = options.max;
    this.#script = options.script;
    this.#waitingBytesMax = options.waitingBytesMax;
  }

  encode(request: EncodeRequest): Promise<EncodedBody> {
    if (this.#closed) throw new Problem("unavailable", "cannot take the entries: the server is stopping");
    const bytes = bytesOf({ pieces: request.pieces as readonly Buffer[] });
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > this.#waitingBytesMax) {
      const detail = "cannot take the entries: too many large batches wait to be checked; send them again later";
      throw new Problem("unavailable", detail, { retryAfterS: 1 });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, bytes, resolve, reject });
      this.#waitingBytes += bytes;
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
    for (const job of this.#waiting.splice(0))
      job.reject(new Problem("unavailable", "cannot take the entries: the server is stopping"));
  }

  #next(): void {
    if (this.#waiting.length === 0 || this.#closed) return;
    const worker = this.#idle.pop() ?? (this.#all.size < this.#max ? this.#start() : undefined);
    const job = worker === undefined ? undefined : this.#waiting.shift();
    if (worker === undefined || job === undefined) return;
    this.#waitingBytes -= job.bytes;
    this.#give(worker, job);
  }

  #give(worker: Worker, job: Job): void {
    const settle = (reuse: boolean, finish: () => void): void => {
      worker.off("message", onReply).off("error", onError).off("exit", onExit);
      if (reuse) this.#idle.push(worker);
      else this.#all.delete(worker);
      finish();
      this.#next();
    };
    const onReply = (reply: EncodeReply): void => settle(true, () => finishJob(job, reply));
    const onError = (error: Error): void => {
      void worker.terminate();
      settle(false, () => job.reject(error));
    };
    const onExit = (code: number): void =>
      settle(false, () => job.reject(new Error(`an encoder thread ended with code ${code}`)));
    worker.on("message", onReply).on("error", onError).on("exit", onExit);
    const pieces = job.request.pieces.map(owned);
    worker.ref();
    worker.postMessage(
      { ...job.request, pieces } satisfies EncodeRequest,
      pieces.map(({ buffer }) => buffer),
    );
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB } });
    this.#all.add(worker);
    // Between two requests nobody else listens, and an unheard "error" would end the process.
    worker.on("error", () => this.#forget(worker));
    worker.on("exit", () => this.#forget(worker));
    return worker;
  }

  #forget(worker: Worker): void {
    this.#all.delete(worker);
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}

function finishJob(job: Job, reply: EncodeReply): void {
  if ("encoded" in reply) job.resolve({ ...reply.encoded, rows: asBuffer(reply.encoded.rows) });
  else if ("problem" in reply)
    job.reject(new Problem(reply.problem.code, reply.problem.detail, { errors: reply.problem.errors }));
  else job.reject(new Error(reply.error));
}

/**
 * Bytes with a separate `ArrayBuffer`, which can be transferred: a view of a larger one would take its neighbours
 * along.
 */
export function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  if (buffer instanceof ArrayBuffer && bytes.byteOffset === 0 && bytes.byteLength === buffer.byteLength) {
    return new Uint8Array(buffer);
  }
  return new Uint8Array(bytes);
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
