import { parentPort } from "node:worker_threads";
import type { ThreadReply } from "./threads.ts";

/**
 * Answers the requests to a thread one after the other. `refusalOf` returns the part of an error that the sender gets,
 * or undefined when the error is a bug. The buffers that `transferOf` returns are moved, not copied.
 */
export function serveThread<Request, Value>(
  serve: (request: Request) => Value,
  refusalOf: (error: unknown) => unknown,
  transferOf: (value: Value) => ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (port === null) throw new Error("this file runs only in a worker thread");
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
