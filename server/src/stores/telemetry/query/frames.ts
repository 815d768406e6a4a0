import { RESULT_ROW_BYTES_MAX, BLOCK_BYTES } from "./settings.ts";

/**
 * The frames between the engine and a child, over one socket: a byte with the kind, four bytes with the length (big endian),
 * the payload. `query`, `files` and `cancel` go to the child. The others come from the child, and the engine validates them.
 */
export const FRAME = {
  query: 0x51,
  /** The answer to `ask`. */
  files: 0x4c,
  cancel: 0x58,
  /** The child can take a query. */
  ready: 0x52,
  /** The child's query has ended, and the child takes no other one. */
  spent: 0x53,
  /** The tables that the statement reads. Sent once, before any data. */
  ask: 0x41,
  data: 0x44,
  end: 0x45,
  fail: 0x46,
} as const;

export const FRAME_HEAD_BYTES = 5;
/** A request with SQL and parameters. */
export const QUERY_FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** The list of files, about 100 bytes each. */
export const FILES_FRAME_BYTES_MAX = 64 * 1024 * 1024;
/** `ask`, `end` and `fail`. */
export const CONTROL_FRAME_BYTES_MAX = 64 * 1024;
/** A block of whole rows. Limits on text count UTF-16 units, and a unit takes at most three bytes. */
export const DATA_FRAME_BYTES_MAX = 3 * (RESULT_ROW_BYTES_MAX + 2 * BLOCK_BYTES);

export function frameHead(kind: number, bytes: number): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(bytes, 1);
  return head;
}

export function frame(kind: number, payload: Buffer | string = ""): Buffer {
  const body = typeof payload === "string" ? Buffer.from(payload) : payload;
  return Buffer.concat([frameHead(kind, body.length), body]);
}

export interface FrameHandler {
  /** Returns the longest payload of this kind that is acceptable now, or undefined when the kind is not acceptable. */
  limit(kind: number): number | undefined;
  /** Returns true when payloads of this kind are passed to `piece` in parts. */
  streamed(kind: number): boolean;
  piece(bytes: Buffer): void;
  /** Called when a frame is complete. `payload` is empty for a streamed frame. */
  frame(kind: number, payload: Buffer): void;
}

/** Cuts a stream of bytes into frames. `push` throws on a frame that the handler does not accept. */
export class FrameReader {
  readonly #handler: FrameHandler;
  #head = Buffer.alloc(0);
  #kind = 0;
  #left = -1; // missing bytes of the current payload; -1 between frames
  #parts: Buffer[] = [];

  constructor(handler: FrameHandler) {
    this.#handler = handler;
  }

  /** True between two frames. */
  get atBoundary(): boolean {
    return this.#left < 0 && this.#head.length === 0;
  }

  push(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 || this.#left === 0) {
      rest = this.#left < 0 ? this.#readHead(rest) : this.#readBody(rest);
    }
  }

  #readHead(bytes: Buffer): Buffer {
    const head = Buffer.concat([this.#head, bytes.subarray(0, FRAME_HEAD_BYTES - this.#head.length)]);
    const rest = bytes.subarray(head.length - this.#head.length);
    this.#head = head;
    if (head.length < FRAME_HEAD_BYTES) return rest;
    this.#head = Buffer.alloc(0);
    this.#kind = head.readUInt8(0);
    this.#left = head.readUInt32BE(1);
    const limit = this.#handler.limit(this.#kind);
    if (limit === undefined) throw new Error(`cannot read frame: kind ${this.#kind} is not expected`);
    if (this.#left > limit) throw new Error(`cannot read frame: ${this.#left} bytes are more than ${limit}`);
    return rest;
  }

  #readBody(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, this.#left);
    this.#left -= piece.length;
    if (piece.length > 0) {
      if (this.#handler.streamed(this.#kind)) this.#handler.piece(piece);
      else this.#parts.push(piece);
    }
    if (this.#left === 0) {
      const payload = Buffer.concat(this.#parts);
      this.#parts = [];
      this.#left = -1;
      this.#handler.frame(this.#kind, payload);
    }
    return bytes.subarray(piece.length);
  }
}
