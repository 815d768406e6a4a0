import type { IncomingMessage } from "node:http";

/** Error codes of streams and sockets whose peer disconnected, and of work that was aborted for this reason. */
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

/** The reason of the abort when the caller's connection closed. */
export class CallerGone extends Error {
  readonly code = "ABORT_ERR";

  constructor() {
    super("the caller went away");
    this.name = "CallerGone";
  }
}

/** Whether the error only says that the caller disconnected, so that the operator has nothing to repair. */
export function isDisconnect(
  error: unknown,
  request: Pick<IncomingMessage, "destroyed" | "complete" | "socket">,
): boolean {
  // A request is also destroyed when it ends normally.
  const isGone = request.socket.destroyed || (request.destroyed && !request.complete);
  return isGone && error instanceof Error && CODES.has((error as { code?: unknown }).code);
}
