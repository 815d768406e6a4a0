import type { FastifyReply, FastifyRequest } from "fastify";
import type { Socket } from "node:net";

/** The bytes of a connection until the end of its last answer. */
interface Mark {
  read: number;
  written: number;
}

const marks = new WeakMap<Socket, Mark>();

/**
 * Returns the bytes of the bodies of a request and its answer. Call it once for each request, when it has ended. The bytes of
 * the connection limit the declared lengths, because both ends can stop early. They also count bodies without a declared
 * length, with their chunk headers.
 */
export function trafficOf(request: FastifyRequest, reply: FastifyReply): { bytesIn: number; bytesOut: number } {
  const { socket, headers, method } = request.raw;
  let mark = marks.get(socket);
  if (mark === undefined) marks.set(socket, (mark = { read: 0, written: 0 }));
  const { bytesRead, bytesWritten } = socket;
  const received = bytesRead - mark.read;
  const sent = bytesWritten - mark.written;
  mark.read = bytesRead;
  mark.written = bytesWritten;
  const length = headers["content-length"];
  const hasChunks = length === undefined && headers["transfer-encoding"] !== undefined;
  return {
    bytesIn: length === undefined ? (hasChunks ? received : 0) : Math.min(received, Number(length)),
    bytesOut: hasNoBody(method, reply.raw.statusCode) ? 0 : Math.min(sent, lengthOf(reply)),
  };
}

function hasNoBody(method: string | undefined, status: number): boolean {
  return method === "HEAD" || status === 204 || status === 304;
}

function lengthOf(reply: FastifyReply): number {
  const length = reply.raw.getHeader("content-length");
  return length === undefined ? Number.POSITIVE_INFINITY : Number(length);
}
