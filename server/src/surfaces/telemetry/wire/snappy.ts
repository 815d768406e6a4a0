import { uncompress } from "snappyjs";

/**
 * Snappy's block format, which remote write and Loki use (google/snappy, format_description.txt): the length of the
 * content as a varint, then literals and copies. There are no checksums.
 */

/** The length has at most 32 bits. */
const LENGTH_BYTES_MAX = 5;
/** A literal of more bytes has its length in 1 to 4 further bytes. */
const SHORT_LITERAL_MAX = 60;

/** Returns the length of the content in bytes, and where the elements begin; undefined when there is no length. */
export function snappyHead(body: Buffer): { bytes: number; at: number } | undefined {
  let bytes = 0;
  for (let at = 0; at < Math.min(LENGTH_BYTES_MAX, body.length); at++) {
    const byte = body[at] as number;
    bytes += (byte & 0x7f) * 128 ** at;
    if (byte < 0x80) return { bytes, at: at + 1 };
  }
  return undefined;
}

/**
 * Decompresses a block. The caller has limited the length by `snappyHead`.
 * @throws Error when the bytes are not a block, or its length is not that of the content
 */
export function unsnapped(body: Buffer): Buffer {
  const head = snappyHead(body);
  if (head === undefined || !isWhole(body, head)) throw new Error("the body is not a block of snappy");
  return uncompress(body);
}

/**
 * Whether the elements lie within the body and yield exactly the length. The library does not check the length, and
 * reads a literal of more than 2 GiB as a step backwards, which never ends.
 */
function isWhole(body: Buffer, head: { bytes: number; at: number }): boolean {
  let { at } = head;
  let made = 0;
  while (at < body.length && made <= head.bytes) {
    const tag = body[at] as number;
    const element = (tag & 3) === 0 ? literalAt(body, at) : copyAt(body, at, made);
    if (element === undefined) return false;
    at = element.end;
    made += element.bytes;
  }
  return at === body.length && made === head.bytes;
}

interface Element {
  readonly bytes: number;
  readonly end: number;
}

function literalAt(body: Buffer, at: number): Element | undefined {
  const short = ((body[at] as number) >>> 2) + 1;
  if (short <= SHORT_LITERAL_MAX) return within(body, { bytes: short, end: at + 1 + short });
  const more = short - SHORT_LITERAL_MAX;
  // The library reads four bytes for each such length.
  if (at + 1 + 4 > body.length) return undefined;
  const bytes = body.readUIntLE(at + 1, more) + 1;
  return within(body, { bytes, end: at + 1 + more + bytes });
}

/** Copies have 1, 2 or 4 bytes of offset. The offset must lie within the bytes that were made before. */
function copyAt(body: Buffer, at: number, made: number): Element | undefined {
  const tag = body[at] as number;
  const [size, end] = [(tag & 3) === 3 ? 4 : tag & 3, at + 1 + ((tag & 3) === 3 ? 4 : tag & 3)];
  if (end > body.length) return undefined;
  const offset = size === 1 ? (tag >>> 5) * 256 + (body[at + 1] as number) : body.readUIntLE(at + 1, size);
  if (offset === 0 || offset > made) return undefined;
  return { bytes: size === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1, end };
}

function within(body: Buffer, element: Element): Element | undefined {
  return element.end <= body.length ? element : undefined;
}
