import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { REFUSED_BODY_BYTES_MAX, REFUSED_BODY_TIME_MS } from "#kernel/limits.ts";

/** Limits for draining a body after an early answer. */
export interface DrainLimits {
  readonly bytesMax: number;
  readonly timeMs: number;
}

export const DRAIN_LIMITS: DrainLimits = { bytesMax: REFUSED_BODY_BYTES_MAX, timeMs: REFUSED_BODY_TIME_MS };

const LOOK_EVERY_MS = 50;

/**
 * Drains the body of a request that is answered before its body has arrived, up to the limits, and then closes the
 * connection. Closing at once would reset the connection (RFC 9112 section 9.6). Clients that read the answer only
 * after they have sent everything would then lose it. Call it when a request begins.
 */
export function drainBody(request: IncomingMessage, response: ServerResponse, limits = DRAIN_LIMITS): void {
  // Runs before Node's own steps at the end of an answer, which close the connection or drain it without a limit.
  response.once("prefinish", () => {
    if (!request.complete) discard(request, limits);
    else if (!request.readableEnded) request.resume();
  });
}

function discard(request: IncomingMessage, limits: DrainLimits): void {
  const { socket } = request;
  const stopWatching = cutAtLimits(socket, limits);
  let isEnding = false;
  // Node calls this after the last answer of a connection. Node's own function closes when the answer is sent, and does
  // not wait for the client's bytes.
  socket.destroySoon = () => {
    isEnding = true;
    socket.end();
  };
  const over = (): void => {
    stopWatching();
    delete (socket as Partial<Socket>).destroySoon; // Restores the method of the class.
    for (const event of ["end", "close"]) request.off(event, over);
    if (isEnding) socket.destroySoon();
  };
  request.once("end", over);
  request.once("close", over);
  request.on("error", () => undefined);
  request.resume();
}

/** Closes the connection after an answer, once its peer has closed it or the limits are reached. */
export function endAfterDrain(socket: Socket, answer: string, limits = DRAIN_LIMITS): void {
  cutAtLimits(socket, limits);
  socket.end(answer);
}

/** Destroys the socket at the limits, or when its peer has closed. Returns a function that cancels this. */
function cutAtLimits(socket: Socket, { bytesMax, timeMs }: DrainLimits): () => void {
  const from = socket.bytesRead;
  const untilMs = performance.now() + timeMs;
  const cut = (): void => void socket.destroy();
  // Checked at intervals, because Node's parser can read the socket without events.
  const timer = setInterval(() => {
    if (socket.bytesRead - from > bytesMax || performance.now() >= untilMs) cut();
  }, LOOK_EVERY_MS);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    socket.off("end", cut);
    socket.off("close", stop); // The connection may be used for more requests.
  };
  // Runs before Node's own listener, which reports an end inside a body as invalid bytes.
  socket.prependOnceListener("end", cut);
  socket.once("close", stop);
  return stop;
}

/** Whether the rest of the body fits within the limits, so that the connection can be kept. */
export function isBodyDrained(request: IncomingMessage, { bytesMax } = DRAIN_LIMITS): boolean {
  if (request.complete || !hasBody(request)) return true;
  return Number(request.headers["content-length"]) <= bytesMax; // NaN without Content-Length.
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
