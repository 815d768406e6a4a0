import type { IncomingMessage } from "node:http";

/** Codes of streams and sockets for a peer that disconnected, and for work aborted because of it. */
const CODES: ReadonlySet<unknown> = new Set([
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ABORT_ERR",
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_UNABLE_TO_PIPE",
  "ERR_STREAM_WRITE_AFTER_END",
]);

/** Aborts the work for a caller whose connection closed. */
export class CallerGone extends Error {
  readonly code = "ABORT_ERR";

  constructor() {
    super("the caller went away");
    this.name = "CallerGone";
  }
}

/** Whether the error only says that the caller disconnected: nothing that an operator could mend. */
export function isDisconnect(
  error: unknown,
  request: Pick<IncomingMessage, "destroyed" | "complete" | "socket">,
): boolean {
  // A request is destroyed at its end too.
  const isGone = request.socket.destroyed || (request.destroyed && !request.complete);
  return isGone && error instanceof Error && CODES.has((error as { code?: unknown }).code);
}
