import { BLOCK_BYTES, HOLD_BACK_BYTES, RESULT_ROW_BYTES_MAX } from "../settings.ts";
import { FRAME } from "../frames.ts";
import type { Channel } from "./channel.ts";
import type { Deadline } from "../deadline.ts";
import { Failure } from "./failure.ts";
import type { Piece } from "./output/index.ts";

/** Gathers rows into blocks, holds the first back, and sends them no faster than the reader takes them. */
export class BlockSender {
  readonly #channel: Channel;
  readonly #deadline: Deadline;
  readonly #bytesMax: number;
  #text = "";
  /** Bytes before `#text`. */
  #parts: Uint8Array[] = [];
  #partBytes = 0;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #bytes = 0;
  /** True once a byte of the result has left. */
  begun = false;

  constructor(channel: Channel, deadline: Deadline, bytesMax: number) {
    this.#channel = channel;
    this.#deadline = deadline;
    this.#bytesMax = bytesMax;
  }

  /** Adds a row's text, or bytes of many rows, whose writer sees to the length of a row. True when a block is full and `flush` is due. */
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

  /** Ends the block. It is sent now if more than the first megabyte was written. */
  async flush(): Promise<void> {
    const block = this.#take();
    if (block.length === 0) return;
    this.#bytes += block.length;
    if (this.begun) return this.#send(block);
    this.#held.push(block);
    this.#heldBytes += block.length;
    if (this.#heldBytes >= HOLD_BACK_BYTES) await this.#release();
  }

  /** Sends the rest, and `tail` after it. */
  async finish(tail: Piece): Promise<void> {
    this.#put(tail);
    await this.flush();
    await this.#release();
  }

  /** Discards all data that was not sent yet. */
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
