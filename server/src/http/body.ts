import type { IncomingMessage } from "node:http";
import { Problem } from "#kernel/problem.ts";

/**
 * Reads a request's body into one buffer. The limit is counted on the stream, so it also holds without Content-Length.
 * With Content-Length, the buffer is allocated once, which needs half the memory of joining pieces.
 * @throws Problem `body_too_large` before more than the limit is kept, `invalid_request` when the sender goes away
 */
export function readBody(payload: IncomingMessage, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  const declared = Number(payload.headers["content-length"] ?? Number.NaN);
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax));
  if (!Number.isNaN(declared)) return readInto(filling(declared), payload, bytesMax);
  return readBodyPieces(payload, bytesMax).then((pieces) => Buffer.concat(pieces));
}

/**
 * Reads a request's body in pieces, for a thread that joins them: copying 10 MiB takes the event loop milliseconds.
 * @throws Problem as `readBody` does
 */
export function readBodyPieces(payload: IncomingMessage, bytesMax: number): Promise<Buffer[]> {
  const declared = Number(payload.headers["content-length"] ?? Number.NaN);
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax));
  return readInto(gathering(), payload, bytesMax);
}

function readInto<Whole>(sink: Sink<Whole>, payload: IncomingMessage, bytesMax: number): Promise<Whole> {
  return new Promise((resolve, reject) => {
    let received = 0;
    let whole = false;
    payload.on("data", (chunk: Buffer) => {
      received += chunk.length;
      if (received <= bytesMax) sink.add(chunk);
      else reject(tooLarge(bytesMax));
    });
    payload.on("end", () => {
      whole = true;
      resolve(sink.whole());
    });
    payload.on("error", (cause) => reject(cutOff(cause)));
    payload.on("close", () => {
      if (!whole) reject(cutOff());
    });
  });
}

interface Sink<Whole> {
  add(chunk: Buffer): void;
  whole(): Whole;
}

/** Fills one buffer. Node's parser gives exactly as many bytes as Content-Length says. */
function filling(bytes: number): Sink<Buffer<ArrayBuffer>> {
  const body = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  return {
    add: (chunk) => {
      at += chunk.copy(body, at);
    },
    whole: () => body.subarray(0, at),
  };
}

/** Smaller pieces are joined. Otherwise a body that arrives byte by byte would be millions of pieces. */
const PIECE_BYTES_MIN = 16 * 1024;

function gathering(): Sink<Buffer[]> {
  const pieces: Buffer[] = [];
  let small = Buffer.alloc(0);
  let filled = 0;
  const flush = (): void => {
    if (filled > 0) pieces.push(Buffer.from(small.subarray(0, filled)));
    filled = 0;
  };
  return {
    add: (chunk) => {
      if (filled + chunk.length > PIECE_BYTES_MIN) flush();
      if (chunk.length >= PIECE_BYTES_MIN) return void pieces.push(chunk);
      if (small.length === 0) small = Buffer.allocUnsafeSlow(PIECE_BYTES_MIN);
      filled += chunk.copy(small, filled);
    },
    whole: () => {
      flush();
      return pieces;
    },
  };
}

function tooLarge(bytesMax: number): Problem {
  return new Problem("body_too_large", `The body has more than ${bytesMax} bytes.`);
}

function cutOff(cause?: unknown): Problem {
  if (cause instanceof Problem) return cause;
  return new Problem("invalid_request", "The body ended before it was complete.", { cause });
}
