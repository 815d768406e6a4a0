import { parentPort } from "node:worker_threads";
import { Problem } from "#kernel/problem.ts";
import { encodeBody } from "./encode.ts";
import { asBuffer, owned, type EncodeReply, type EncodeRequest } from "./pool.ts";

/** A thread that encodes large ingest bodies, so that none of them holds the event loop. */

const port = parentPort;
if (port === null) throw new Error("this file is the script of a worker thread");

port.on("message", (request: EncodeRequest) => {
  const reply = answer(request);
  if ("encoded" in reply) port.postMessage(reply, [reply.encoded.rows.buffer as ArrayBuffer]);
  else port.postMessage(reply);
});

function answer({ type, body, options }: EncodeRequest): EncodeReply {
  try {
    const { rows, ...others } = encodeBody(type, asBuffer(body), options);
    return { encoded: { rows: owned(rows), ...others } };
  } catch (error) {
    if (error instanceof Problem)
      return { problem: { code: error.code, detail: error.message, errors: error.options.errors ?? [] } };
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
