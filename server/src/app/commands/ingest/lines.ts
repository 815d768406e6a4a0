/** One line of the input, without its newline. */
export interface Line {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** True: the line was longer than the limit, and `text` is its beginning. */
  readonly cut: boolean;
}

const NEWLINE = 0x0a;

/**
 * Splits a stream into lines, chunk by chunk. Holds one line at most. The last line needs no newline; a carriage return
 * before a newline is dropped.
 */
export async function* linesOf(
  source: AsyncIterable<Uint8Array>,
  limits: { lineBytesMax: number },
): AsyncGenerator<readonly Line[], void, void> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  let number = 0;
  const keep = (part: Buffer): void => {
    // Drops the rest of a long line: a file without newlines must not fill the memory.
    if (restBytes <= limits.lineBytesMax && part.length > 0) rest.push(part);
    restBytes += part.length;
  };
  const take = (): Line => {
    const whole = rest.length === 1 ? (rest[0] ?? Buffer.alloc(0)) : Buffer.concat(rest);
    const cut = restBytes > limits.lineBytesMax;
    const text = whole.toString("utf8", 0, Math.min(whole.length, limits.lineBytesMax));
    rest = [];
    restBytes = 0;
    number++;
    return { text: text.endsWith("\r") ? text.slice(0, -1) : text, number, cut };
  };
  for await (const bytes of source) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      lines.push(take());
      start = end + 1;
    }
    keep(chunk.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (restBytes > 0) yield [take()];
}
