import { BLOCK_BYTES, HOLD_BACK_BYTES, RESULT_ROW_BYTES_MAX } from "../settings.ts";
import { FRAME } from "../frames.ts";
import type { Channel } from "./channel.ts";
import type { Deadline } from "../deadline.ts";
import { Failure } from "./failure.ts";
import type { Piece } from "./output/index.ts";

/** Collects rows into blocks, holds back the first block, and sends only as fast as the reader reads. */
export class BlockSender {
  readonly #channel: Channel;
  readonly #deadline: Deadline;
  readonly #bytesMax: number;
  #text = "";
  /** The bytes before `#text`. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #bytes = 0;
  /** True once a part of the result was sent. */
  begun = false;

  constructor(channel: Channel, deadline: Deadline, bytesMax: number) {
    this.#channel = channel;
    this.#deadline = deadline;
    this.#bytesMax = bytesMax;
  }

  /**
   * Adds a row's text, or the bytes of many rows whose length the writer has checked. Returns true when a block is full:
   * call `flush` then.
   */
  add(piece: Piece): boolean {
    if (typeof piece === "string" && piece.length > RESULT_ROW_BYTES_MAX)
      throw new Failure(
        "query_too_large",
        `a row of the result is longer than ${RESULT_ROW_BYTES_MAX} bytes; select less of it`,
      );
    if (this.#bytes + this.#partBytes + this.#text.length + piece.length > this.#bytesMax)
      throw new Failure(
        "query_too_large",
        `the result is longer than ${this.#bytesMax} bytes; select less, or set a limit`,
      );
    this.#put(piece);
    return this.#partBytes + this.#text.length >= BLOCK_BYTES;
  }

  /** Ends the block. Sends it if the result is longer than the held-back part. */
  async flush(): Promise<void> {
    const block = this.#take();
    if (block.length === 0) return;
    this.#bytes += block.length;
    if (this.begun) return this.#send(block);
    this.#held.push(block);
    this.#heldBytes += block.length;
    if (this.#heldBytes >= HOLD_BACK_BYTES) await this.#release();
  }

  /** Sends all remaining data, then `tail`. */
  async finish(tail: Piece): Promise<void> {
    this.#put(tail);
    await this.flush();
    await this.#release();
  }

  /** Discards all data that was not sent. */
  discard(): void {
    this.#take();
    this.#held = [];
  }

  #put(piece: Piece): void {
    if (typeof piece === "string") this.#text += piece;
    else {
      this.#parts.push(Buffer.from(this.#text), piece);
      this.#partBytes += Buffer.byteLength(this.#text) + piece.length;
      this.#text = "";
    }
  }

  #take(): Buffer {
    const text = Buffer.from(this.#text);
    const block = this.#parts.length === 0 ? text : Buffer.concat([...this.#parts, text]);
    this.#text = "";
    this.#parts = [];
    this.#partBytes = 0;
    return block;
  }

  async #release(): Promise<void> {
    const held = this.#held;
    this.#held = [];
    this.begun = true;
    for (const block of held) await this.#send(block);
  }

  async #send(block: Buffer): Promise<void> {
    this.#deadline.pause();
    await this.#channel.send(FRAME.data, block);
    this.#deadline.resume();
  }
}
