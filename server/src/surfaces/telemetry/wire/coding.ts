import { promisify } from "node:util";
import {
  gunzip,
  gunzipSync,
  inflate,
  inflateRaw,
  inflateRawSync,
  inflateSync,
  zstdDecompress,
  zstdDecompressSync,
} from "node:zlib";
import { Problem } from "#kernel/problem.ts";
import { HttpProblem } from "#http/index.ts";
import { snappyHead, unsnapped } from "./snappy.ts";

const DECODERS = {
  gzip: { sync: gunzipSync, async: promisify(gunzip) },
  zstd: { sync: zstdDecompressSync, async: promisify(zstdDecompress) },
  zlib: { sync: inflateSync, async: promisify(inflate) },
  deflate: { sync: inflateRawSync, async: promisify(inflateRaw) },
} as const;

/** The code of Node's error for a result beyond `maxOutputLength`. */
const TOO_LARGE = "ERR_BUFFER_TOO_LARGE";

/** Small blocks are decompressed on the event loop: they take less than a millisecond. */
const SNAPPY = { sync: unsnappedUpTo, async: async (body: Buffer, limit: Limit) => unsnappedUpTo(body, limit) };

interface Limit {
  readonly maxOutputLength: number;
}

/** Refuses by the length that the block begins with, before any memory is taken for it. */
function unsnappedUpTo(body: Buffer, { maxOutputLength }: Limit): Buffer {
  const bytes = snappyHead(body)?.bytes ?? 0;
  if (bytes > maxOutputLength) throw Object.assign(new Error("the block is too large"), { code: TOO_LARGE });
  return unsnapped(body);
}

/** A content coding (RFC 9110 section 8.4), or snappy's blocks. The form of `deflate` is detected from the body. */
export type Coding = keyof typeof DECODERS_OF;
type Decoder = (typeof DECODERS)[keyof typeof DECODERS];

const DECODERS_OF = {
  gzip: () => DECODERS.gzip,
  zstd: () => DECODERS.zstd,
  deflate: (body: Buffer) => (hasZlibHead(body) ? DECODERS.zlib : DECODERS.deflate),
  snappy: () => SNAPPY,
} as const satisfies Record<string, (body: Buffer) => Decoder | typeof SNAPPY>;

const CODINGS = "deflate, gzip, zstd";

/** Parses `Content-Encoding`; undefined: no coding. @throws Problem `unsupported_media_type` */
export function codingOf(field: string | undefined, also: readonly Coding[] = []): Coding | undefined {
  const name = field?.trim().toLowerCase();
  if (name === undefined || name === "" || name === "identity") return undefined;
  if (name === "gzip" || name === "x-gzip") return "gzip";
  if (name === "zstd" || name === "deflate") return name;
  const other = also.find((coding) => coding === name);
  if (other !== undefined) return other;
  const list = [CODINGS, ...also].join(", ");
  throw new HttpProblem("unsupported_media_type", `Content-Encoding must be one of ${list}, identity.`, {
    "accept-encoding": list,
  });
}

/**
 * Decompresses the body in a worker thread. Decompression stops at the limit, so a bomb costs no more than a large
 * body.
 * @throws Problem `body_too_large`, `invalid_body`
 */
export function decodedSync(body: Buffer, coding: Coding, bytesMax: number): Buffer {
  try {
    return DECODERS_OF[coding](body).sync(body, { maxOutputLength: bytesMax });
  } catch (error) {
    if (isTooLarge(error))
      throw new Problem("body_too_large", `The body has more than ${bytesMax} bytes after decompression.`);
    throw notValid(coding, error);
  }
}

/** Decompresses off the event loop. Returns undefined when the result is larger than `bytesMax`. */
export async function decodedUpTo(bytesMax: number, body: Buffer, coding: Coding): Promise<Buffer | undefined> {
  try {
    return await DECODERS_OF[coding](body).async(body, { maxOutputLength: bytesMax });
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw notValid(coding, error);
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === TOO_LARGE;
}

function notValid(coding: Coding, cause: unknown): Problem {
  return new Problem("invalid_body", `The body is not valid ${coding}.`, { cause });
}

/** RFC 1950 section 2.2. Some senders omit the zlib header that RFC 9110 requires (section 8.4.1.2, note). */
function hasZlibHead(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] as number) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
