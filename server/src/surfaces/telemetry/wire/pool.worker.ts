import { parentPort } from "node:worker_threads";
import { crc32 } from "node:zlib";
import { Problem } from "#kernel/problem.ts";
import { decodedSync } from "./coding.ts";
import { bodyBytesMax, encodeBody } from "./encode.ts";
import { EntriesRefused } from "./entry.ts";
import { asBuffer, owned, type EncodeReply, type EncodeRequest } from "./pool.ts";
import { joined } from "./sent-body.ts";

/** A thread that encodes large ingest bodies, so that they do not block the event loop. */

const port = parentPort;
if (port === null) throw new Error("this file is the script of a worker thread");

port.on("message", (request: EncodeRequest) => {
  const reply = answer(request);
  if ("encoded" in reply) port.postMessage(reply, [reply.encoded.rows.buffer as ArrayBuffer]);
  else port.postMessage(reply);
});

function answer({ type, pieces, coding, options }: EncodeRequest): EncodeReply {
  try {
    const sent = joined({ pieces: pieces.map(asBuffer) });
    const body = coding === undefined ? sent : decodedSync(sent, coding, bodyBytesMax(options));
    const { rows, ...others } = encodeBody(type, body, options);
    return { encoded: { rows: owned(rows), rowsCrc: crc32(rows), ...others } };
  } catch (error) {
    if (error instanceof Problem) {
      const { code, message: detail, options } = error;
      const refused = error instanceof EntriesRefused ? error.refused : undefined;
      return { problem: { code, detail, errors: options.errors ?? [], refused } };
    }
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
