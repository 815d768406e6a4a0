const BYTES_MIN = 1024;
const MEASURED_CHARS_MIN = 1024;

/** A growing byte array. The result of `taken` is valid until the next change. */
export class Bytes {
  #bytes = Buffer.allocUnsafe(BYTES_MIN);
  #view = viewOf(this.#bytes);
  length = 0;

  get view(): DataView {
    return this.#view;
  }

  /**
   * Adds `count` bytes with any value.
   * @returns the position of the first one
   */
  extend(count: number): number {
    const at = this.length;
    const needed = at + count;
    if (needed > this.#bytes.length) this.#grow(needed);
    this.length = needed;
    return at;
  }

  /**
   * Adds text as UTF-8.
   * @returns its length in bytes
   */
  text(text: string): number {
    // A UTF-16 unit takes at most three bytes. For long texts the exact length is computed instead.
    const at = this.extend(text.length < MEASURED_CHARS_MIN ? text.length * 3 : Buffer.byteLength(text));
    const written = this.#bytes.write(text, at);
    this.length = at + written;
    return written;
  }

  append(bytes: Uint8Array): void {
    const at = this.extend(bytes.length);
    this.#bytes.set(bytes, at);
  }

  zeros(count: number): void {
    const at = this.extend(count);
    this.#bytes.fill(0, at, at + count);
  }

  taken(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.taken());
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

/** Bits, least significant bit first. */
export class Bits {
  readonly #bytes = new Bytes();
  length = 0;
  /** The number of set bits. */
  ones = 0;

  push(bit: boolean): void {
    const at = this.length++;
    if (at % 8 === 0) this.#bytes.zeros(1);
    if (!bit) return;
    this.ones++;
    const { view } = this.#bytes;
    view.setUint8(at >> 3, view.getUint8(at >> 3) | (1 << (at & 7)));
  }

  get(at: number): boolean {
    return ((this.#bytes.view.getUint8(at >> 3) >> (at & 7)) & 1) === 1;
  }

  taken(): Buffer {
    return this.#bytes.taken();
  }

  clear(): void {
    this.#bytes.clear();
    this.length = 0;
    this.ones = 0;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
