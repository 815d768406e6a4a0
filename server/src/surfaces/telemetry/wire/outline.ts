import { INGEST_ENTRY_BYTES_MAX } from "#kernel/limits.ts";

/** Deeper text is refused before it is parsed. Valid entries are far below this depth. */
const DEPTH_MAX = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** An element of `entries` is inside the body's object and the list. */
const LIST_DEPTH = 2;

export interface Outline {
  /** The number of elements in lists directly in the body's object. */
  readonly elements: number;
  /** The indexes of elements that are longer than an entry may be. */
  readonly oversized: ReadonlySet<number>;
  readonly tooDeep: boolean;
}

/**
 * Reads only brackets and strings, to refuse text that is expensive to parse, and to measure the entries. For invalid
 * JSON the result means nothing; the parser refuses that.
 */
export function outline(body: Buffer): Outline {
  const oversized = new Set<number>();
  let depth = 0;
  let elements = 0;
  let start = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === QUOTE) {
      at = endOfString(body, at);
    } else if ((byte & 0xdf) === 0x5b) {
      depth += 1;
      if (depth === LIST_DEPTH + 1) start = at;
      if (depth > DEPTH_MAX) return { elements, oversized, tooDeep: true };
    } else if ((byte & 0xdf) === 0x5d) {
      if (depth === LIST_DEPTH + 1 && at - start + 1 > INGEST_ENTRY_BYTES_MAX) oversized.add(elements);
      depth -= 1;
    } else if (byte === COMMA && depth === LIST_DEPTH) {
      elements += 1;
    }
  }
  return { elements: elements + 1, oversized, tooDeep: false };
}

/** Whether the text is nested so deeply that it is refused before parsing. */
export function isTooDeep(text: Buffer): boolean {
  // Each level needs two bytes.
  return text.length > 2 * DEPTH_MAX && outline(text).tooDeep;
}

/** Returns the position of the closing quote of the string that opens at `from`, or the end of the body. */
function endOfString(body: Buffer, from: number): number {
  for (let end = body.indexOf(QUOTE, from + 1); end >= 0; end = body.indexOf(QUOTE, end + 1)) {
    let slashes = 0;
    while (body[end - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return body.length;
}
