const CHUNK_BYTES_MAX = 1024 * 1024;
const CHUNK_BYTES_MIN = 4096;
/** Batches from this size on are stored without a copy, because copying would cost more than a separate object. */
const KEPT_BYTES_MIN = 64 * 1024;

/**
 * Rows in memory, in the order of the log. Small batches are copied into few large chunks, so that they do not cost an
 * object each.
 */
export class RowBuffer {
  #full: Buffer[] = [];
  #chunk: Buffer = Buffer.alloc(0);
  #used = 0;
  /** The size of the last chunk. Each chunk is twice as large as the previous one. */
  #grown = 0;
  bytes = 0;
  rows = 0;
  firstSeq = 0;
  lastSeq = 0;
  /** When the first row was accepted, in milliseconds since the epoch. */
  firstAt = 0;

  add(seq: number, rows: Buffer, count: number, at: number): void {
    if (this.rows === 0) {
      this.firstSeq = seq;
      this.firstAt = at;
    }
    this.lastSeq = seq;
    this.bytes += rows.length;
    this.rows += count;
    if (rows.length >= KEPT_BYTES_MIN) {
      this.#close();
      this.#full.push(rows);
      return;
    }
    if (this.#chunk.length - this.#used < rows.length) this.#grow(rows.length);
    rows.copy(this.#chunk, this.#used);
    this.#used += rows.length;
  }

  /** Returns the current rows. Later additions do not change the result. */
  chunks(): Buffer[] {
    return this.#used === 0 ? [...this.#full] : [...this.#full, this.#chunk.subarray(0, this.#used)];
  }

  /** Moves the filled part of the last chunk to the full chunks. The rest of it is filled later. */
  #close(): void {
    if (this.#used === 0) return;
    this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = this.#chunk.subarray(this.#used);
    this.#used = 0;
  }

  #grow(needed: number): void {
    this.#close();
    const next = Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, 2 * this.#grown));
    this.#grown = Math.max(needed, next);
    this.#chunk = Buffer.allocUnsafeSlow(this.#grown);
  }
}
