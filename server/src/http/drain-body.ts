import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { REFUSED_BODY_BYTES_MAX, REFUSED_BODY_TIME_MS } from "#kernel/limits.ts";

/** How much of a body is drained after an early answer, and for how long. */
export interface DrainLimits {
  readonly bytesMax: number;
  readonly timeMs: number;
}

export const DRAIN_LIMITS: DrainLimits = { bytesMax: REFUSED_BODY_BYTES_MAX, timeMs: REFUSED_BODY_TIME_MS };

const LOOK_EVERY_MS = 50;

/**
 * Reads on and throws away when an answer ends before the body of its request, up to the limits, after which the connection is closed. Closing it at once, on
 * bytes that nobody read, resets it, and the answer is lost with it (RFC 9112 section 9.6): many clients read it only when they have sent everything. To be
 * called when a request begins.
 */
export function drainBody(request: IncomingMessage, response: ServerResponse, limits = DRAIN_LIMITS): void {
  // Before Node's own steps at the end of an answer, which close the connection or read on without a limit.
  response.once("prefinish", () => {
    if (!request.complete) discard(request, limits);
    else if (!request.readableEnded) request.resume();
  });
}

function discard(request: IncomingMessage, limits: DrainLimits): void {
  const { socket } = request;
  const stopWatching = cutAtLimits(socket, limits);
  let isEnding = false;
  // How Node closes after the last answer of a connection: it waits for its own bytes, but not for the sender's.
  socket.destroySoon = () => {
    isEnding = true;
    socket.end();
  };
  const over = (): void => {
    stopWatching();
    delete (socket as Partial<Socket>).destroySoon; // the class's own is there again
    for (const event of ["end", "close"]) request.off(event, over);
    if (isEnding) socket.destroySoon();
  };
  request.once("end", over);
  request.once("close", over);
  request.on("error", () => undefined);
  request.resume();
}

/** Ends the connection after an answer, once its peer has closed it or the limits are reached. */
export function endAfterDrain(socket: Socket, answer: string, limits = DRAIN_LIMITS): void {
  cutAtLimits(socket, limits);
  socket.end(answer);
}

/** Destroys the socket at the limits, or when its peer has closed. Returns what calls that off. */
function cutAtLimits(socket: Socket, { bytesMax, timeMs }: DrainLimits): () => void {
  const from = socket.bytesRead;
  const untilMs = performance.now() + timeMs;
  const cut = (): void => void socket.destroy();
  // Looked at now and then: Node's parser reads without events where it can.
  const timer = setInterval(() => {
    if (socket.bytesRead - from > bytesMax || performance.now() >= untilMs) cut();
  }, LOOK_EVERY_MS);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    socket.off("end", cut);
    socket.off("close", stop); // the connection may have many more requests to come
  };
  // Before Node takes the end in the middle of a body for bytes that it must refuse.
  socket.prependOnceListener("end", cut);
  socket.once("close", stop);
  return stop;
}

/** Whether the rest of the body is known to be let in, so that the connection can be kept. */
export function isBodyDrained(request: IncomingMessage, { bytesMax } = DRAIN_LIMITS): boolean {
  if (request.complete || !hasBody(request)) return true;
  return Number(request.headers["content-length"]) <= bytesMax; // not a number when its length is not told
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
