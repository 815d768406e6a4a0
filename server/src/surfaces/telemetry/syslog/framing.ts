import { inflateSync } from "node:zlib";

/** A message as it arrived, without its framing. */
export interface Frame {
  readonly bytes: Buffer;
  /** Whether the end was left out, because the message is longer than the limit. */
  readonly cut: boolean;
}

/** Longer messages are cut. RFC 5424 section 6.1 asks receivers for at least 2 KiB. */
export const MESSAGE_BYTES_MAX = 64 * 1024;
/** An octet count has at most this many digits (RFC 6587 section 3.4.1 sets no limit). */
const COUNT_DIGITS_MAX = 7;
const [NUL, NEWLINE, RETURN, SPACE, ZERO, NINE, LESS, Z] = [0x00, 0x0a, 0x0d, 0x20, 0x30, 0x39, 0x3c, 0x7a];

/**
 * Splits the bytes of one connection into messages. Each message chooses its framing: an octet count (RFC 6587 section
 * 3.4.1) if it begins with digits, a space, and `<` or rsyslog's `z`; else it ends at a newline or at NUL, which
 * Python's `SysLogHandler` sends. So a line that contains a count does not switch the framing.
 */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of `#rest` without a delimiter. They are not searched again. */
  #searched = 0;
  /** Bytes of a counted message beyond the limit, which are skipped. */
  #skip = 0;
  /** Skips until a delimiter: the line is longer than the limit. */
  #skipsLine = false;

  push(chunk: Buffer): Frame[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      bytes = this.#afterSkipped(bytes);
      const next = this.#next(bytes);
      if (next === undefined) break;
      bytes = bytes.subarray(next.end);
      this.#searched = 0;
      if (next.frame.bytes.length > 0) frames.push(next.frame);
    }
    this.#rest = Buffer.from(bytes);
    return frames;
  }

  /** Returns the message without a delimiter that the connection ended with. Half a counted message is left out. */
  end(): Frame[] {
    const bytes = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (bytes.length === 0 || countOf(bytes) !== null || this.#skip > 0 || this.#skipsLine) return [];
    return [{ bytes, cut: false }];
  }

  #afterSkipped(bytes: Buffer): Buffer {
    let from = Math.min(this.#skip, bytes.length);
    this.#skip -= from;
    if (this.#skipsLine) {
      const end = delimiterIn(bytes, from);
      this.#skipsLine = end === -1;
      from = end === -1 ? bytes.length : end + 1;
    }
    // Between messages; some senders put a newline behind a counted message.
    while (this.#searched === 0 && from < bytes.length && isBetween(bytes[from] as number)) from += 1;
    return bytes.subarray(from);
  }

  #next(bytes: Buffer): { frame: Frame; end: number } | undefined {
    if (bytes.length === 0) return undefined;
    const count = countOf(bytes);
    if (count === "unknown") return undefined;
    return count === null ? this.#line(bytes) : this.#counted(bytes, count);
  }

  #counted(bytes: Buffer, { from, length }: Count): { frame: Frame; end: number } | undefined {
    const kept = Math.min(length, MESSAGE_BYTES_MAX);
    if (bytes.length < from + kept) return undefined;
    const end = Math.min(bytes.length, from + length);
    this.#skip = from + length - end;
    return { frame: { bytes: bytes.subarray(from, from + kept), cut: kept < length }, end };
  }

  #line(bytes: Buffer): { frame: Frame; end: number } | undefined {
    const end = delimiterIn(bytes, this.#searched);
    if (end !== -1 && end <= MESSAGE_BYTES_MAX)
      return { frame: { bytes: bytes.subarray(0, end), cut: false }, end: end + 1 };
    if (bytes.length <= MESSAGE_BYTES_MAX) {
      this.#searched = bytes.length;
      return undefined;
    }
    this.#skipsLine = true;
    return { frame: { bytes: bytes.subarray(0, MESSAGE_BYTES_MAX), cut: true }, end: MESSAGE_BYTES_MAX };
  }
}

interface Count {
  /** Where the message begins. */
  readonly from: number;
  readonly length: number;
}

/** Returns the octet count at the beginning; null: there is none; `unknown`: more bytes are needed. */
function countOf(bytes: Buffer): Count | null | "unknown" {
  let at = 0;
  while (at < bytes.length && at <= COUNT_DIGITS_MAX && isDigit(bytes[at] as number)) at += 1;
  if (at === 0 || at > COUNT_DIGITS_MAX || bytes[0] === ZERO) return null;
  if (at === bytes.length) return "unknown";
  if (bytes[at] !== SPACE) return null;
  if (at + 1 === bytes.length) return "unknown";
  const first = bytes[at + 1];
  if (first !== LESS && first !== Z) return null;
  return { from: at + 1, length: Number(bytes.toString("latin1", 0, at)) };
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isBetween(byte: number): boolean {
  return byte === NEWLINE || byte === NUL || byte === RETURN || byte === SPACE;
}

function delimiterIn(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(NEWLINE, from);
  const nul = bytes.indexOf(NUL, from);
  if (newline === -1 || nul === -1) return Math.max(newline, nul);
  return Math.min(newline, nul);
}

/** Undoes rsyslog's `compression.mode="single"`: `z` and a zlib stream. Undefined: it is not valid. */
export function decompressed({ bytes, cut }: Frame): Frame | undefined {
  if (bytes[0] !== Z) return { bytes, cut };
  if (bytes.length < 2 || cut) return undefined;
  try {
    return { bytes: inflateSync(bytes.subarray(1), { maxOutputLength: MESSAGE_BYTES_MAX }), cut };
  } catch {
    // A message that begins with a `z` by chance has no zlib header (RFC 1950 section 2.2).
    return ((bytes[1] as number) & 0x0f) === 8 && bytes.readUInt16BE(1) % 31 === 0 ? undefined : { bytes, cut };
  }
}
