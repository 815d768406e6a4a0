import { crc32 } from "node:zlib";

const CHUNK_BYTES = 64 * 1024;
const CHUNK_BYTES_MAX = 256 * 1024;
const CRC_VALUES = 2 ** 32;

/**
 * Cuts lines into chunks of about 64 KiB. The lines themselves decide where, so a new line changes only its own chunk
 * and at most the next one.
 */
export class LineCutter {
  #lines: Buffer[] = [];
  #bytes = 0;

  /** Adds a line with its end. Returns a chunk if the line ends one. */
  add(line: Buffer): Buffer | null {
    this.#lines.push(line);
    this.#bytes += line.length;
    const isLast = crc32(line) < (CRC_VALUES * line.length) / CHUNK_BYTES;
    return isLast || this.#bytes >= CHUNK_BYTES_MAX ? this.end() : null;
  }

  /** Returns the rest. */
  end(): Buffer | null {
    if (this.#bytes === 0) return null;
    const chunk = Buffer.concat(this.#lines);
    [this.#lines, this.#bytes] = [[], 0];
    return chunk;
  }
}

/** Yields the lines of chunks, without their ends. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    let from = 0;
    const bytes = Buffer.concat([rest, chunk]);
    for (let end = bytes.indexOf(NEWLINE, rest.length); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      yield bytes.toString("utf8", from, end);
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  if (rest.length > 0) throw new Error("a list of a backup ends within a line");
}

const NEWLINE = 0x0a;
