import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { Problem, type ProblemCode, type ProblemPlace } from "#kernel/problem.ts";
import { programUrl } from "#kernel/programs.ts";
import type { RefusedReason } from "#domain/refused-entries/index.ts";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { decodedUpTo, type Coding } from "./coding.ts";
import { encodeBody, type EncodeBodyOptions, type EncodedBody } from "./encode.ts";
import { EntriesRefused } from "./entry.ts";
import { bytesOf, joined, type SentBody } from "./sent-body.ts";

/** Smaller bodies are encoded on the event loop: handing them to a thread would cost more. */
export const INLINE_BYTES_MAX = 512 * 1024;
/**
 * OTLP and other protocols write shared data once for many rows, so a small body can need much work. Rules read each row
 * several times.
 */
const INLINE_PROTOCOL_BYTES_MAX = 64 * 1024;
/** Larger compressed bodies are decompressed in the thread that encodes them. Smaller ones rarely become large. */
const INLINE_COMPRESSED_BYTES_MAX = 32 * 1024;

const WORKERS_MAX = 4;
/** The most bytes of bodies that wait for a thread. Further ones are refused. */
const WAITING_BYTES_MAX = 256 * 1024 * 1024;
/** A body of the largest size needs a fraction of this. */
const WORKER_HEAP_MIB = 512;

export interface EncoderPool {
  /**
   * Runs `encodeBody`, in another thread if the body is large. A large body is transferred and must not be used
   * afterwards.
   * @throws Problem as `encodeBody` does, `unavailable` when too many bodies wait; Error when the thread died
   */
  encode(type: TelemetryType, body: Buffer | SentBody, options: EncodeBodyOptions): Promise<EncodedBody>;
  close(): Promise<void>;
}

export interface EncoderPoolOptions {
  /** The number of threads; null: by the number of cores. */
  readonly workers: number | null;
  /** The script of the threads; replaced in tests. */
  readonly script?: URL;
  /** Default: 256 MiB. */
  readonly waitingBytesMax?: number;
}

export interface EncodeRequest {
  readonly type: TelemetryType;
  readonly pieces: readonly Uint8Array[];
  readonly coding: Coding | undefined;
  readonly options: EncodeBodyOptions;
}

interface ProblemReply {
  readonly problem: {
    readonly code: ProblemCode;
    readonly detail: string;
    readonly errors: readonly ProblemPlace[];
    /** The refused entries of an `EntriesRefused`. */
    readonly refused: readonly RefusedReason[] | undefined;
  };
}

export type EncodeReply =
  | { readonly encoded: Omit<EncodedBody, "rows"> & { readonly rows: Uint8Array } }
  | ProblemReply
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

/** Returns the decompressed body if it is encoded here; undefined if a thread encodes it. */
async function smallBody(sent: SentBody, { otlp, protocol, rules }: EncodeBodyOptions): Promise<Buffer | undefined> {
  const isCheap = otlp === undefined && protocol === undefined && rules === undefined;
  const bytesMax = isCheap ? INLINE_BYTES_MAX : INLINE_PROTOCOL_BYTES_MAX;
  const { coding } = sent;
  if (coding === undefined) return bytesOf(sent) < bytesMax ? joined(sent) : undefined;
  return bytesOf(sent) < INLINE_COMPRESSED_BYTES_MAX ? decodedUpTo(bytesMax, joined(sent), coding) : undefined;
}

/** Threads that start when there is work. Each handles one request at a time. */
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
    const { pieces: sent, options } = job.request;
    // OTLP may be encoded again, when the named projects were found.
    const pieces = sent.map((piece) => (options.otlp === undefined ? owned(piece) : new Uint8Array(piece)));
    worker.ref();
    worker.postMessage(
      { ...job.request, pieces } satisfies EncodeRequest,
      pieces.map(({ buffer }) => buffer),
    );
  }

  #start(): Worker {
    const worker = new Worker(this.#script, { env: {}, resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MIB } });
    this.#all.add(worker);
    // Listens between requests too, because an "error" event without a listener would end the process.
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
  else if ("problem" in reply) job.reject(problemOf(reply.problem));
  else job.reject(new Error(reply.error));
}

function problemOf({ code, detail, errors, refused }: ProblemReply["problem"]): Problem {
  return refused === undefined ? new Problem(code, detail, { errors }) : new EntriesRefused(detail, errors, refused);
}

/**
 * Returns bytes with a separate `ArrayBuffer`: to transfer a view of a larger buffer would transfer the other bytes
 * too.
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
