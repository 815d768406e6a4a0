import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Listener } from "#http/index.ts";
import { S3Error } from "#domain/s3/index.ts";
import { errorDocument } from "./errors.ts";
import type { S3Gateway } from "./gateway.ts";

export { presignedTarget, type Presigning } from "./auth/presign.ts";
export { createS3Gateway, type Answered, type S3Gateway } from "./gateway.ts";

/** Puts a gateway on a listener of its own: buckets have every path of it. */
export function serveS3(listener: Listener, gateway: S3Gateway): void {
  const { server } = listener;
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) =>
    gateway.handleExpecting(request, response),
  );
  // Any other expectation is passed over, as S3 does.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    gateway.handle(request, response),
  );
  server.on("clientError", answerNoRequest);
  listener.serve((request, response) => gateway.handle(request, response));
}

/** What is no HTTP request, or has too large a header, is told so and ends the connection (RFC 9112 section 9.6). */
function answerNoRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const isLarge = error.code === "HPE_HEADER_OVERFLOW";
  const body = errorDocument(new S3Error(isLarge ? "RequestHeaderSectionTooLarge" : "BadRequest"), {
    requestId: "none",
    hostId: "none",
    resource: "/",
  });
  const head = [
    "HTTP/1.1 400 Bad Request",
    "Content-Type: application/xml",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
