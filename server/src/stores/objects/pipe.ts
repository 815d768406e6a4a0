import type { Writable } from "node:stream";
import type { Buffers } from "./buffers.ts";
import type { PipeOptions } from "./types.ts";

/** One buffer is filled while the others are being sent. */
const BUFFERS_MAX = 3;

interface Readable {
  readonly length: number;
  read(buffer: Buffer): Promise<number>;
}

/**
 * Writes all bytes of a reader to a stream. Reuses buffers as soon as the stream has sent them.
 * @throws the reader's error, after the stream was destroyed; the signal's reason; an error with the code
 * `ERR_STREAM_PREMATURE_CLOSE` when the stream's other end disconnects
 */
export async function pipe(reader: Readable, target: Writable, buffers: Buffers, options: PipeOptions): Promise<void> {
  const { signal, end = true, failed } = options;
  const out = new Outlet(target, signal);
  const lent: Buffer[] = [];
  let isDone = false;
  try {
    signal?.throwIfAborted();
    let left = reader.length;
    while (left > 0) {
      const buffer = await nextBuffer(out, lent, buffers, left);
      const bytes = await reader.read(buffer);
      left -= bytes;
      out.write(buffer, bytes, end && left === 0);
    }
    if (end && reader.length === 0) out.end();
    await out.settled();
    isDone = true;
  } catch (error) {
    // The announced bytes will not come, and a regular end would make the answer look complete.
    failed?.(error);
    target.destroy();
    throw error;
  } finally {
    out.release();
    for (const buffer of lent) {
      if (isDone) buffers.give(buffer);
      else buffers.lose(buffer);
    }
  }
}

async function nextBuffer(out: Outlet, lent: Buffer[], buffers: Buffers, left: number): Promise<Buffer> {
  const free = out.free();
  if (free !== undefined) return free;
  if (lent.length === BUFFERS_MAX) return out.nextFree();
  const buffer = buffers.take(Math.min(left, 1024 * 1024));
  lent.push(buffer);
  return buffer;
}

/** The stream and its sent buffers. */
class Outlet {
  readonly #target: Writable;
  readonly #signal: AbortSignal | undefined;
  readonly #free: Buffer[] = [];
  #underWay = 0;
  #finished = false;
  #failure: { readonly error: unknown } | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(target: Writable, signal: AbortSignal | undefined) {
    this.#target = target;
    this.#signal = signal;
    target.on("close", this.#onClose).on("error", this.#onError);
    signal?.addEventListener("abort", this.#onAbort);
    if (target.destroyed) this.#onClose();
  }

  write(buffer: Buffer, bytes: number, isLast: boolean): void {
    this.#assertOpen();
    this.#underWay += 1;
    const done = (error?: Error | null): void => {
      this.#underWay -= 1;
      this.#finished = isLast && !error;
      if (error) this.#onError(error);
      this.#free.push(buffer);
      this.#wake();
    };
    const chunk = bytes === buffer.length ? buffer : buffer.subarray(0, bytes);
    if (isLast) this.#target.end(chunk, done);
    else this.#target.write(chunk, done);
  }

  end(): void {
    this.#assertOpen();
    this.#underWay += 1;
    this.#target.end(() => {
      this.#underWay -= 1;
      this.#finished = true;
      this.#wake();
    });
  }

  /** Returns a buffer that was sent. Call it before creating another one. */
  free(): Buffer | undefined {
    this.#assertOpen();
    return this.#free.pop();
  }

  async nextFree(): Promise<Buffer> {
    for (;;) {
      const buffer = this.free();
      if (buffer !== undefined) return buffer;
      await this.#change();
    }
  }

  /** Resolves when the stream has sent everything. */
  async settled(): Promise<void> {
    this.#assertOpen();
    while (this.#underWay > 0) {
      await this.#change();
      this.#assertOpen();
    }
  }

  release(): void {
    this.#target.off("close", this.#onClose).off("error", this.#onError);
    this.#target.on("error", () => {}); // it may arrive after the last check
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  async #change(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    await this.#waiting.promise;
  }

  #wake(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }

  #assertOpen(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  readonly #onClose = (): void => {
    if (!this.#finished) this.#onError(this.#target.errored);
  };

  readonly #onError = (cause: Error | null): void => {
    const error = new Error("cannot send the content: the receiver disconnected", cause === null ? {} : { cause });
    this.#fail(Object.assign(error, { code: "ERR_STREAM_PREMATURE_CLOSE" }));
  };

  readonly #onAbort = (): void => this.#fail(this.#signal?.reason);

  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error };
    this.#wake();
  };
}
