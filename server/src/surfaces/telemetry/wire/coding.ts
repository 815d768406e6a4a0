import { promisify } from "node:util";
import { gunzip, zstdDecompress } from "node:zlib";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";

const gunzipAsync = promisify(gunzip);
const zstdAsync = promisify(zstdDecompress);

/**
 * The body without its content coding (RFC 9110 section 8.4). The limit holds for what comes out: decompression stops as
 * soon as it is passed, so a bomb costs no more than the limit.
 * @throws Problem `unsupported_media_type`, `body_too_large`, `invalid_body`
 */
export async function decoded(body: Buffer, coding: string | undefined): Promise<Buffer> {
  const name = coding?.trim().toLowerCase();
  if (name === undefined || name === "" || name === "identity") return body;
  const inflate = name === "gzip" || name === "x-gzip" ? gunzipAsync : name === "zstd" ? zstdAsync : null;
  if (inflate === null) {
    throw new Problem("unsupported_media_type", "Content-Encoding must be gzip, zstd or identity.", {
      headers: { "accept-encoding": "gzip, zstd" },
    });
  }
  try {
    return await inflate(body, { maxOutputLength: INGEST_BODY_BYTES_MAX });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      throw new Problem("body_too_large", `The body has more than ${INGEST_BODY_BYTES_MAX} bytes after decompression.`);
    }
    throw new Problem("invalid_body", `The body is not valid ${name}.`, { cause: error });
  }
}
