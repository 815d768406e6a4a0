import { parentPort } from "node:worker_threads";
import type { ThreadReply } from "./threads.ts";

/**
 * Answers the requests that a thread gets, one after the other. `refusalOf` says what of an error its sender is to have; undefined: it is a bug.
 * What `transferOf` names of a value is handed over, not copied.
 */
export function serveThread<Request, Value>(
  serve: (request: Request) => Value,
  refusalOf: (error: unknown) => unknown,
  transferOf: (value: Value) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("this file is the script of a worker thread");
  port.on("message", (request: Request) => {
    const reply = answered(request, serve, refusalOf);
    port.postMessage(reply, "value" in reply ? transferOf(reply.value) : []);
  });
}

function answered<Request, Value>(
  request: Request,
  serve: (request: Request) => Value,
  refusalOf: (error: unknown) => unknown,
): ThreadReply<Value> {
  try {
    return { value: serve(request) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined) return { refusal };
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
