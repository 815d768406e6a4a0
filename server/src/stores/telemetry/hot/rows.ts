const CHUNK_BYTES_MAX = 1024 * 1024;
const CHUNK_BYTES_MIN = 4096;

/**
 * Rows in memory, in the order of the log. They are copied into few large chunks, so that small batches
 * do not cost an object each and what an encoder allocated is freed at once.
 */
export class RowBuffer {
  #full: Buffer[] = [];
  #chunk: Buffer = Buffer.alloc(0);
  #used = 0;
  bytes = 0;
  rows = 0;
  firstSeq = 0;
  lastSeq = 0;
  /** When the first of the rows was taken, in milliseconds since the epoch. */
  firstAt = 0;

  add(seq: number, rows: Buffer, count: number, at: number): void {
    if (this.rows === 0) {
      this.firstSeq = seq;
      this.firstAt = at;
    }
    this.lastSeq = seq;
    this.bytes += rows.length;
    this.rows += count;
    if (this.#chunk.length - this.#used < rows.length) this.#grow(rows.length);
    rows.copy(this.#chunk, this.#used);
    this.#used += rows.length;
  }

  /** The rows as they are now. Later additions do not change what was returned. */
  chunks(): Buffer[] {
    return this.#used === 0 ? [...this.#full] : [...this.#full, this.#chunk.subarray(0, this.#used)];
  }

  #grow(needed: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
    const next = Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, 2 * this.#chunk.length));
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(needed, next));
    this.#used = 0;
  }
}
