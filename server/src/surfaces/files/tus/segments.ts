import type { Readable } from "node:stream";

/**
 * A body in pieces of a limited size, which are stored separately. If the body breaks off, the current piece ends, so
 * that the received bytes are kept.
 */
export class Segments {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #bytesMax: number;
  #rest: Buffer | undefined;
  #ended = false;
  /** The error that broke the body off. */
  failure: { readonly error: unknown } | undefined;

  constructor(body: Readable, bytesMax: number) {
    this.#chunks = body.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#bytesMax = bytesMax;
  }

  /** Whether another piece may follow. */
  get more(): boolean {
    return !this.#ended;
  }

  /** Returns the next piece. The caller must read it to its end before it requests another one. */
  async *next(taken: (chunk: Buffer) => void): AsyncGenerator<Buffer, void, undefined> {
    let left = this.#bytesMax;
    while (left > 0) {
      const chunk = await this.#chunk();
      if (chunk === undefined) return;
      const piece = chunk.subarray(0, left);
      if (piece.length < chunk.length) this.#rest = chunk.subarray(piece.length);
      left -= piece.length;
      taken(piece);
      yield piece;
    }
  }

  async #chunk(): Promise<Buffer | undefined> {
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) return rest;
    if (this.#ended) return undefined;
    try {
      const next = await this.#chunks.next();
      if (next.done !== true) return next.value;
    } catch (error) {
      this.failure = { error };
    }
    this.#ended = true;
    return undefined;
  }
}
