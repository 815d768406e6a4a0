import { BLOCK_BYTES, HOLD_BACK_BYTES, RESULT_ROW_BYTES_MAX } from "../settings.ts";
import { FRAME } from "../frames.ts";
import type { Channel } from "./channel.ts";
import type { Deadline } from "../deadline.ts";
import { Failure } from "./failure.ts";

/** Gathers rows into blocks, holds the first back, and sends them no faster than the reader takes them. */
export class BlockSender {
  readonly #channel: Channel;
  readonly #deadline: Deadline;
  readonly #bytesMax: number;
  #text = "";
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

  /** Adds a row's text. True when a block is full and `flush` is due. */
  add(text: string): boolean {
    if (text.length > RESULT_ROW_BYTES_MAX)
      throw new Failure(
        "query_too_large",
        `a row of the result is longer than ${RESULT_ROW_BYTES_MAX} bytes; select less of it`,
      );
    if (this.#bytes + this.#text.length + text.length > this.#bytesMax)
      throw new Failure(
        "query_too_large",
        `the result is longer than ${this.#bytesMax} bytes; select less, or set a limit`,
      );
    this.#text += text;
    return this.#text.length >= BLOCK_BYTES;
  }

  /** Ends the block. It leaves now if more than the first megabyte is there. */
  async flush(): Promise<void> {
    if (this.#text === "") return;
    const block = Buffer.from(this.#text);
    this.#text = "";
    this.#bytes += block.length;
    if (this.begun) return this.#send(block);
    this.#held.push(block);
    this.#heldBytes += block.length;
    if (this.#heldBytes >= HOLD_BACK_BYTES) await this.#release();
  }

  /** Sends whatever is left, and `tail` after it. */
  async finish(tail: string): Promise<void> {
    this.#text += tail;
    await this.flush();
    await this.#release();
  }

  /** Forgets what has not left yet. */
  discard(): void {
    this.#text = "";
    this.#held = [];
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
