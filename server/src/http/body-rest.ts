import type { IncomingMessage, ServerResponse } from "node:http";

/** Of a refused body, what is thrown away so that its sender, who may be sending still, gets to read the refusal. */
const BYTES_MAX = 64 * 1024 * 1024;
const TIME_MS = 10_000;

/**
 * Lets the rest of a refused body in, up to a bound, after which the connection is closed. Closing it at once, on bytes that nobody read, resets
 * it, and the answer is lost with it (RFC 9112 section 9.6).
 */
export function letTheRestPass(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete && request.readableLength === 0) return;
  const { socket } = request;
  const from = socket.bytesRead;
  const end = (): void => void socket.destroy();
  const timer = setTimeout(end, TIME_MS).unref();
  const release = (): void => {
    clearTimeout(timer);
    socket.off("close", release); // the connection may have many more requests to come
  };
  request.on("data", () => {
    if (socket.bytesRead - from > BYTES_MAX) end();
  });
  request.once("end", release);
  request.once("close", release);
  socket.once("close", release);
  response.once("close", () => {
    if (request.complete) release();
  });
  request.on("error", release);
  request.resume();
}
