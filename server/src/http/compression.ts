import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Smaller answers take more time to compress than to send. */
export const COMPRESSED_BYTES_MIN = 8 * 1024;
/** Compression uses the few threads that also read and write files. Beyond this, answers are sent plain. */
const CONCURRENT_MAX = 2;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
const GZIP = { level: 1 };

interface Coding {
  readonly name: "zstd" | "gzip" | "br";
  readonly compress: (text: string) => Promise<Buffer>;
  readonly stream: () => NodeJS.ReadWriteStream & Readable;
}

const [zstdOnce, gzipOnce, brotliOnce] = [promisify(zstdCompress), promisify(gzip), promisify(brotliCompress)];

/**
 * In the order of preference: zstd is as fast as gzip and smaller, and brotli is slow. Streams are flushed after each
 * write. Otherwise rows that the server has sent wait in the compressor.
 */
const CODINGS: readonly Coding[] = [
  {
    name: "zstd",
    compress: (text) => zstdOnce(text, ZSTD),
    stream: () => createZstdCompress({ ...ZSTD, flush: constants.ZSTD_e_flush }),
  },
  {
    name: "gzip",
    compress: (text) => gzipOnce(text, GZIP),
    stream: () => createGzip({ ...GZIP, flush: constants.Z_SYNC_FLUSH }),
  },
  {
    name: "br",
    compress: (text) => brotliOnce(text, BROTLI),
    stream: () => createBrotliCompress({ ...BROTLI, flush: constants.BROTLI_OPERATION_FLUSH }),
  },
];

/** Compresses answers outside of the main thread, a few at once. */
export interface Compression {
  /** Returns the body to send: compressed, if the client accepts that and the body is large enough. */
  text(request: FastifyRequest, reply: FastifyReply, body: string): Promise<string | Buffer>;
  /** Returns the stream to send. */
  stream(request: FastifyRequest, reply: FastifyReply, body: Readable): Readable;
}

export function createCompression(): Compression {
  let running = 0;
  const takes = (coding: Coding | null): coding is Coding => coding !== null && running < CONCURRENT_MAX;
  return {
    text: async (request, reply, body) => {
      if (body.length < COMPRESSED_BYTES_MIN) return body;
      const coding = negotiated(request, reply);
      if (!takes(coding)) return body;
      running += 1;
      try {
        const compressed = await coding.compress(body);
        announce(reply, coding);
        return compressed;
      } finally {
        running -= 1;
      }
    },
    stream: (request, reply, body) => {
      const coding = negotiated(request, reply);
      if (!takes(coding)) return body;
      running += 1;
      const compressed = coding.stream();
      announce(reply, coding);
      // A fault in the middle ends the answer without its end, as it does for a plain one.
      pipeline(body, compressed, () => void (running -= 1));
      return compressed;
    },
  };
}

function negotiated(request: FastifyRequest, reply: FastifyReply): Coding | null {
  const vary = reply.getHeader("vary");
  void reply.header("vary", vary === undefined ? "accept-encoding" : `${String(vary)}, accept-encoding`);
  if (reply.getHeader("content-encoding") !== undefined) return null;
  return preferredCoding(String(request.headers["accept-encoding"] ?? ""));
}

function announce(reply: FastifyReply, { name }: Coding): void {
  void reply.header("content-encoding", name).removeHeader("content-length");
  const etag = reply.getHeader("etag");
  // A strong tag names one representation (RFC 9110 section 8.8.3.3).
  if (typeof etag === "string" && !etag.startsWith("W/")) void reply.header("etag", `W/${etag}`);
}

/** Returns the coding that an `Accept-Encoding` field prefers (RFC 9110 section 12.5.3). Null: none. */
export function preferredCoding(field: string): Coding | null {
  const qualities = new Map(field.split(",").map(qualityOf));
  const qualityFor = ({ name }: Coding): number => qualities.get(name) ?? qualities.get("*") ?? 0;
  const best = Math.max(...CODINGS.map(qualityFor));
  const plain = qualities.get("identity") ?? 0;
  return best <= 0 || best < plain ? null : (CODINGS.find((coding) => qualityFor(coding) === best) ?? null);
}

function qualityOf(part: string): [string, number] {
  const [name = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
  const q = parameters.find((each) => each.startsWith("q="))?.slice(2);
  const quality = q === undefined ? 1 : Number(q);
  return [name === "x-gzip" ? "gzip" : name, Number.isFinite(quality) ? quality : 0];
}
