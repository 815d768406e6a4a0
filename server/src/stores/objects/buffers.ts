const MIB = 1024 * 1024;

/** The most memory in large buffers for all readers together; further readers get small ones. */
const LARGE_BYTES_MAX = 96 * MIB;
const SMALL_BYTES = 128 * 1024;
/** Buffers kept for the next reader. */
const KEPT_MAX = 12;

/** Buffers that readers use again and again: new ones of this size would have to be zeroed by the system, and be collected. */
export class Buffers {
  readonly #kept: Buffer[] = [];
  #lent = 0;

  /** A buffer of `bytes`, of 1 MiB at most. To be given back. */
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

  /** Instead of `give`, for a buffer that may still be read. */
  lose(buffer: Buffer): void {
    if (buffer.length === MIB) this.#lent -= 1;
  }
}
