import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { newId } from "#kernel/ids.ts";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import { decodePercent } from "#kernel/decoding.ts";
import { endAfterDrain, type DrainLimits } from "./drain-body.ts";
import { faultOfHost } from "./host-field.ts";
import { HttpProblem, statusOf, PROBLEM_TYPE, problemBody } from "./problems.ts";
import { requestIdOf } from "./request-id.ts";
import { DATA_FIELDS } from "./safety.ts";
import type { ErrorForm, ProtocolAnswer } from "./surface.ts";

/** Errors of Node's `clientError`: bytes that the parser refuses, or that don't arrive. */
export interface ConnectionError extends Error {
  readonly code?: string;
  /** A Buffer: the bytes that the parser was reading. */
  readonly rawPacket?: unknown;
}

export interface ProtocolErrorOptions {
  readonly clock: Clock;
  /** Limits for bytes that the client sends after a refusal. */
  readonly refusedBodies: DrainLimits;
  readonly log: { debug(fields: object, message: string): void };
  /** The error format of the surface at a path, when it has its own. */
  readonly formOf?: (path: string) => Pick<ErrorForm, "render"> | undefined;
}

/**
 * Answers requests that fail before Fastify sees them, in the format of all other problems, and closes the connection,
 * because it is unknown where the next request begins (RFC 9112 section 9.6).
 */
export function createProtocolErrors(options: ProtocolErrorOptions): {
  /** Tracks the requests of each connection that are not answered yet. */
  watch(server: Server): void;
  readonly handle: (error: ConnectionError, socket: Socket) => void;
} {
  const owed = new WeakMap<Socket, Set<ServerResponse>>();
  // Node reports the first error of a connection, and then each further piece of data. Only the first is answered.
  const refused = new WeakSet<Socket>();

  function refuse(error: ConnectionError, socket: Socket, request?: IncomingMessage): void {
    if (!socket.writable || !isOwedAnswer(error, socket)) {
      socket.destroy();
      return;
    }
    const problem = protocolProblemOf(error);
    const { clock, log } = options;
    const requestId = request === undefined ? newId("req", clock.nowMs()) : requestIdOf(clock)(request);
    log.debug(
      { request_id: requestId, code: problem.code, cause: error.code },
      "refused bytes that are not a valid request",
    );
    const path = request?.url?.split("?", 1)[0];
    const render = options.formOf?.(path ?? targetOf(error))?.render ?? asProblem;
    const answer = render(problem, path ?? SERVER_ITSELF, requestId);
    endAfterDrain(socket, answerOf(answer, requestId, clock.nowMs()), options.refusedBodies);
  }

  return {
    watch: (server) => {
      server.on("request", (request: IncomingMessage, response: ServerResponse) => {
        const responses = owed.get(request.socket) ?? new Set();
        owed.set(request.socket, responses.add(response));
        response.once("close", () => responses.delete(response));
      });
    },
    handle: (error, socket) => {
      if (refused.has(socket)) return;
      refused.add(socket);
      const responses = [...(owed.get(socket) ?? [])];
      const last = responses.at(-1);
      if (error.code === "ECONNRESET") socket.destroy();
      else if (last === undefined) refuse(error, socket);
      // A complete request came before the refused bytes. Its answer is sent first (RFC 9112 section 9.3.2).
      else if (last.req.complete) last.once("close", () => refuse(error, socket));
      // The refused bytes are in the body of the last request. An answer that has begun can't be replaced.
      else if (responses.length === 1 && !last.headersSent) refuse(error, socket, last.req);
      else socket.destroy();
    },
  };
}

/** The `instance` of a problem without a known path. As a target it means the whole server (RFC 9112 section 3.2.4). */
const SERVER_ITSELF = "*";

/**
 * Returns the path of an invalid request, as far as the refused bytes contain its request line. It only chooses the
 * format of the answer.
 */
function targetOf({ rawPacket }: ConnectionError): string {
  const line = Buffer.isBuffer(rawPacket) ? rawPacket.toString("latin1", 0, TARGET_BYTES_MAX) : "";
  return /^[!-~]{1,32} (\/[^\s?#]*)/.exec(line)?.[1] ?? SERVER_ITSELF;
}

const TARGET_BYTES_MAX = 1024;

/** Node's error codes that get a specific answer. All others mean invalid HTTP. */
const NODE_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["header_too_large", "The request line and the header have more than 16 KiB together."],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ["body_too_large", "The extensions of a chunk have more than 16 KiB."],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The header was not sent in time; send the request again."],
};

function protocolProblemOf(error: ConnectionError): Problem {
  const known = error.code === undefined ? undefined : NODE_CODES[error.code];
  if (known === undefined) return new Problem("invalid_request", "This is not a valid HTTP/1.1 request.");
  return new Problem(known[0], known[1]);
}

function asProblem(problem: Problem, path: string, requestId: string): ProtocolAnswer {
  const body = JSON.stringify(problemBody(problem, path, requestId));
  return { status: statusOf(problem), headers: { "content-type": PROBLEM_TYPE, ...DATA_FIELDS }, body };
}

/**
 * Only invalid bytes and incomplete requests get an answer. Idle and failed connections get none: the client would read
 * it as the answer to its next request.
 */
function isOwedAnswer(error: ConnectionError, socket: Socket): boolean {
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") return socket.bytesRead > 0;
  return error.code?.startsWith("HPE_") === true && error.code !== "HPE_CLOSED_CONNECTION";
}

function answerOf({ status, headers, body }: ProtocolAnswer, requestId: string, nowMs: number): string {
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    `Date: ${new Date(nowMs).toUTCString()}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Request-Id: ${requestId}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/**
 * Refuses requests that Node accepts, or would refuse without a body.
 * @throws Problem `invalid_request`, `expectation_failed`; both close the connection
 */
export function refuseUnlessConformant(request: IncomingMessage, expectationFails: boolean): void {
  requireHost(request);
  const fields = { connection: "close" };
  // RFC 3986 section 2.1. An unreadable filter must not be read as another filter.
  if (decodePercent(request.url ?? "") === undefined)
    throw new HttpProblem(
      "invalid_request",
      "The address is not valid percent-encoded UTF-8; write a percent sign as %25.",
      fields,
    );
  // RFC 9110 section 10.1.1
  if (expectationFails)
    throw new HttpProblem("expectation_failed", "The only supported value of Expect is 100-continue.", fields);
}

/** @throws Problem `invalid_request`, which closes the connection */
export function requireHost(request: IncomingMessage): void {
  const fault = faultOfHost(request);
  if (fault !== undefined) throw new HttpProblem("invalid_request", fault, { connection: "close" });
}
