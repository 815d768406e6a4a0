const MIB = 1024 * 1024;

/** The most memory in large buffers for all readers together. Further readers get small buffers. */
const LARGE_BYTES_MAX = 96 * MIB;
const SMALL_BYTES = 128 * 1024;
/** Buffers kept for the next reader. */
const KEPT_MAX = 12;

/** Reuses the buffers of readers. The system would have to zero new ones, and the garbage collector to free them. */
export class Buffers {
  readonly #kept: Buffer[] = [];
  #lent = 0;

  /** Returns a buffer of `bytes`, but at most 1 MiB. Call `give` or `lose` afterwards. */
  take(bytes: number): Buffer {
    if (bytes <= SMALL_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if ((this.#lent + 1) * MIB > LARGE_BYTES_MAX) return Buffer.allocUnsafeSlow(SMALL_BYTES);
    this.#lent += 1;
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(MIB);
  }

  give(buffer: Buffer): void {
    if (buffer.length !== MIB) return;
    this.#lent -= 1;
    if (this.#kept.length < KEPT_MAX) this.#kept.push(buffer);
  }

  /** Replaces `give` for a buffer that may still be read. */
  lose(buffer: Buffer): void {
    if (buffer.length === MIB) this.#lent -= 1;
  }
}
