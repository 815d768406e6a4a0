import { promisify } from "node:util";
import { gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";

const gunzipAsync = promisify(gunzip);
const zstdAsync = promisify(zstdDecompress);
const inflateAsync = promisify(inflate);
const inflateRawAsync = promisify(inflateRaw);
const CODINGS = "deflate, gzip, zstd";

/**
 * The body without its content coding (RFC 9110 section 8.4). The limit holds for what comes out: decompression stops as
 * soon as it is passed, so a bomb costs no more than the limit.
 * @throws Problem `unsupported_media_type`, `body_too_large`, `invalid_body`
 */
export async function decoded(body: Buffer, coding: string | undefined): Promise<Buffer> {
  const name = coding?.trim().toLowerCase();
  if (name === undefined || name === "" || name === "identity") return body;
  const decode = decoderOf(name, body);
  if (decode === undefined) {
    throw new Problem("unsupported_media_type", `Content-Encoding must be one of ${CODINGS}, identity.`, {
      headers: { "accept-encoding": CODINGS },
    });
  }
  try {
    return await decode(body, { maxOutputLength: INGEST_BODY_BYTES_MAX });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new Problem("body_too_large", `The body has more than ${INGEST_BODY_BYTES_MAX} bytes after decompression.`);
    }
    throw new Problem("invalid_body", `The body is not valid ${name}.`, { cause: error });
  }
}

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

function decoderOf(name: string, body: Buffer): Decode | undefined {
  if (name === "gzip" || name === "x-gzip") return gunzipAsync;
  if (name === "zstd") return zstdAsync;
  if (name !== "deflate") return undefined;
  return hasZlibHead(body) ? inflateAsync : inflateRawAsync;
}

/** RFC 1950 section 2.2. Some senders leave out what RFC 9110 wants around the data (section 8.4.1.2, note). */
function hasZlibHead(body: Buffer): boolean {
  return body.length >= 2 && ((body[0] as number) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
