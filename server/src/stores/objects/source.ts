import { Readable } from "node:stream";

/** The source of a blob's content. Chunks must not be changed after they were yielded. */
export type BlobInput = AsyncIterable<Uint8Array> | Uint8Array;

/** Chunks are gathered up to this size, because each write to the disk has a fixed cost. */
export const GATHER_BYTES = 1024 * 1024;

/** The most bytes that are digested in one turn of the event loop, so that other requests do not wait long. */
const TURN_BYTES = 256 * 1024;

/** More chunks than this are merged into one, because many chunks cost more than copying. */
const CHUNKS_MAX = 256;

export interface Gathered {
  readonly chunks: readonly Uint8Array[];
  readonly bytes: number;
  /** True when no more bytes follow. */
  readonly ended: boolean;
}

/** Gathered bytes of an input. */
export interface Source {
  /** Resolves to about 1 MiB, or to the rest. Rejects with the input's error. */
  next(): Promise<Gathered>;
  /** Stops reading the input without destroying it, so that its connection can still carry an answer. */
  release(): void;
}

/** @param taken called with every chunk as it arrives; an exception in it makes the source fail */
export function sourceOf(input: BlobInput, taken: (chunk: Uint8Array) => void, signal?: AbortSignal): Source {
  if (input instanceof Uint8Array) return whole(input, taken, signal);
  return input instanceof Readable ? new StreamSource(input, taken, signal) : new IteratedSource(input, taken, signal);
}

function whole(input: Uint8Array, taken: (chunk: Uint8Array) => void, signal: AbortSignal | undefined): Source {
  return {
    next: async () => {
      signal?.throwIfAborted();
      taken(input);
      return { chunks: input.length === 0 ? [] : [input], bytes: input.length, ended: true };
    },
    release: () => {},
  };
}

function compact(chunks: readonly Uint8Array[]): readonly Uint8Array[] {
  return chunks.length > CHUNKS_MAX ? [Buffer.concat(chunks)] : chunks;
}

/** Uses events, because iterating over a stream costs a microtask for each chunk. */
class StreamSource implements Source {
  readonly #stream: Readable;
  readonly #taken: (chunk: Uint8Array) => void;
  readonly #signal: AbortSignal | undefined;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #turnBytes = 0;
  #nextTurn: NodeJS.Immediate | undefined;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #waiting: PromiseWithResolvers<Gathered> | undefined;

  constructor(stream: Readable, taken: (chunk: Uint8Array) => void, signal: AbortSignal | undefined) {
    this.#stream = stream;
    this.#taken = taken;
    this.#signal = signal;
    stream.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#fail).on("close", this.#onClose);
    signal?.addEventListener("abort", this.#onAbort);
    if (signal?.aborted === true) this.#onAbort();
    else if (stream.readableEnded) this.#onEnd();
    else if (stream.destroyed) this.#onClose();
  }

  async next(): Promise<Gathered> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#bytes >= GATHER_BYTES || this.#ended) return this.#take();
    this.#waiting = Promise.withResolvers();
    this.#goOn();
    return this.#waiting.promise;
  }

  release(): void {
    const stream = this.#stream;
    clearImmediate(this.#nextTurn);
    stream.pause();
    stream.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose).off("error", this.#fail);
    stream.on("error", () => {}); // no listener may be left, and the failure is known or irrelevant
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  #take(): Gathered {
    const gathered = { chunks: compact(this.#chunks), bytes: this.#bytes, ended: this.#ended };
    this.#chunks = [];
    this.#bytes = 0;
    if (!this.#ended) this.#goOn();
    return gathered;
  }

  #goOn(): void {
    if (this.#turnBytes < TURN_BYTES) this.#stream.resume();
    else this.#nextTurn ??= setImmediate(this.#onTurn);
  }

  readonly #onTurn = (): void => {
    this.#nextTurn = undefined;
    this.#turnBytes = 0;
    if (this.#failure === undefined && this.#bytes < GATHER_BYTES) this.#stream.resume();
  };

  #settle(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    waiting.resolve(this.#take());
  }

  readonly #onData = (chunk: Uint8Array): void => {
    if (this.#failure !== undefined) return;
    try {
      this.#taken(chunk);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#turnBytes += chunk.length;
    if (this.#bytes >= GATHER_BYTES) {
      this.#stream.pause();
      this.#settle();
    } else if (this.#turnBytes >= TURN_BYTES) {
      this.#stream.pause();
      this.#goOn();
    }
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    if (this.#failure === undefined) this.#settle();
  };

  readonly #onClose = (): void => {
    if (this.#ended) return;
    const error = this.#stream.errored ?? new Error("cannot read the content: it ended before it was complete");
    this.#fail(Object.assign(error, { code: (error as { code?: string }).code ?? "ERR_STREAM_PREMATURE_CLOSE" }));
  };

  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);

  readonly #fail = (error: unknown): void => {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#chunks = [];
    this.#stream.pause();
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  };
}

class IteratedSource implements Source {
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #taken: (chunk: Uint8Array) => void;
  readonly #signal: AbortSignal | undefined;

  constructor(input: AsyncIterable<Uint8Array>, taken: (chunk: Uint8Array) => void, signal: AbortSignal | undefined) {
    this.#iterator = input[Symbol.asyncIterator]();
    this.#taken = taken;
    this.#signal = signal;
  }

  async next(): Promise<Gathered> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    while (bytes < GATHER_BYTES) {
      const result = await this.#unlessAborted(this.#iterator.next());
      if (result.done === true) return { chunks: compact(chunks), bytes, ended: true };
      this.#taken(result.value);
      if (result.value.length > 0) chunks.push(result.value);
      bytes += result.value.length;
    }
    return { chunks: compact(chunks), bytes, ended: false };
  }

  release(): void {
    void this.#iterator.return?.().catch(() => {});
  }

  async #unlessAborted<T>(promise: Promise<T>): Promise<T> {
    const signal = this.#signal;
    if (signal === undefined) return promise;
    signal.throwIfAborted();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([promise, aborted]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }
}
