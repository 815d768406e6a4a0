import type { IncomingMessage } from "node:http";
import type { Problem } from "#kernel/problem.ts";
import { HttpProblem } from "./problems.ts";

/** The number of checks per timeout. */
const LOOKS = 4;

/**
 * Aborts the signal when no byte arrives for `timeoutMs`. A large body has no total time limit, because slow
 * connections are allowed.
 */
export function watchIdle(
  request: IncomingMessage,
  timeoutMs: number,
): { readonly signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const { socket } = request;
  let [bytes, looks] = [socket.bytesRead, 0];
  const timer = setInterval(() => {
    looks = socket.bytesRead === bytes && !request.complete ? looks + 1 : 0;
    bytes = socket.bytesRead;
    if (looks >= LOOKS) controller.abort(tooSlow(timeoutMs));
  }, timeoutMs / LOOKS);
  return { signal: controller.signal, release: () => clearInterval(timer) };
}

function tooSlow(timeoutMs: number): Problem {
  return new HttpProblem(
    "request_timeout",
    `Nothing arrived for ${timeoutMs / 1000} seconds; send the content again.`,
    {
      connection: "close",
    },
  );
}
