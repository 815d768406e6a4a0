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
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { HttpProblem } from "#http/index.ts";

const DECODERS = {
  gzip: { sync: gunzipSync, async: promisify(gunzip) },
  zstd: { sync: zstdDecompressSync, async: promisify(zstdDecompress) },
  zlib: { sync: inflateSync, async: promisify(inflate) },
  deflate: { sync: inflateRawSync, async: promisify(inflateRaw) },
} as const;

/** A content coding (RFC 9110 section 8.4). The form of `deflate` is detected from the body. */
export type Coding = "gzip" | "zstd" | "deflate";

const CODINGS = "deflate, gzip, zstd";

/** Parses `Content-Encoding`; undefined: no coding. @throws Problem `unsupported_media_type` */
export function codingOf(field: string | undefined): Coding | undefined {
  const name = field?.trim().toLowerCase();
  if (name === undefined || name === "" || name === "identity") return undefined;
  if (name === "gzip" || name === "x-gzip") return "gzip";
  if (name === "zstd" || name === "deflate") return name;
  throw new HttpProblem("unsupported_media_type", `Content-Encoding must be one of ${CODINGS}, identity.`, {
    "accept-encoding": CODINGS,
  });
}

/**
 * Decompresses the body in a worker thread. Decompression stops at the limit, so a bomb costs no more than a large
 * body.
 * @throws Problem `body_too_large`, `invalid_body`
 */
export function decodedSync(body: Buffer, coding: Coding): Buffer {
  try {
    return decoderOf(coding, body).sync(body, { maxOutputLength: INGEST_BODY_BYTES_MAX });
  } catch (error) {
    if (isTooLarge(error))
      throw new Problem("body_too_large", `The body has more than ${INGEST_BODY_BYTES_MAX} bytes after decompression.`);
    throw notValid(coding, error);
  }
}

/** Decompresses off the event loop. Returns undefined when the result is larger than `bytesMax`. */
export async function decodedUpTo(bytesMax: number, body: Buffer, coding: Coding): Promise<Buffer | undefined> {
  try {
    return await decoderOf(coding, body).async(body, { maxOutputLength: bytesMax });
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw notValid(coding, error);
  }
}

function isTooLarge(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
}

function notValid(coding: Coding, cause: unknown): Problem {
  return new Problem("invalid_body", `The body is not valid ${coding}.`, { cause });
}

function decoderOf(coding: Coding, body: Buffer): (typeof DECODERS)[keyof typeof DECODERS] {
  return DECODERS[coding === "deflate" && hasZlibHead(body) ? "zlib" : coding];
}

/** RFC 1950 section 2.2. Some senders omit the zlib header that RFC 9110 requires (section 8.4.1.2, note). */
function hasZlibHead(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] as number) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
