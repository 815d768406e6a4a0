import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { S3Error, type S3ErrorCode } from "#domain/s3/index.ts";
import { createProtocolErrors, drainBody, type Listener, type ProtocolAnswer, type Surface } from "#http/index.ts";
import type { Problem, ProblemCode } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { BucketsSurfaceDeps } from "./deps.ts";
import { errorDocument, hostIdOf } from "./errors.ts";
import { statusOfS3 } from "./wire/refusal.ts";
import type { S3Gateway } from "./gateway.ts";
import { mountBuckets } from "./routes-buckets.ts";

export { presignedTarget, type Presigning } from "./auth/presign.ts";
export { createDocumentReader, type DocumentReader } from "./wire/documents.ts";
export type { GatewayLink } from "./deps.ts";
export { ROWS as S3_ROUTES } from "./routes.ts";
export { createS3Gateway, type Answered, type S3Gateway } from "./gateway.ts";

/** Serves a gateway on a separate listener: buckets have every path of it. */
export function serveS3(
  listener: Listener,
  gateway: S3Gateway,
  on: { readonly clock: Clock; readonly log: { debug(fields: object, message: string): void } },
): void {
  const { server } = listener;
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    drainBody(request, response, listener.refusedBodies);
    gateway.handleExpecting(request, response);
  });
  // Any other expectation is passed over, as S3 does.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    drainBody(request, response, listener.refusedBodies);
    gateway.handle(request, response);
  });
  const protocolErrors = createProtocolErrors({ ...on, refusedBodies: listener.refusedBodies, render: asDocument });
  protocolErrors.watch(server);
  server.on("clientError", (error: Error, socket: Duplex) => protocolErrors.handle(error, socket as Socket));
  listener.serve((request, response) => gateway.handle(request, response));
}

/** The answer to bytes that are no HTTP request, or to too large a header, in S3's format. */
function asDocument({ code }: Problem, resource: string, requestId: string): ProtocolAnswer {
  const error = new S3Error(CODES[code] ?? "BadRequest");
  const body = errorDocument(error, { requestId, hostId: hostIdOf(requestId), resource });
  return { status: statusOfS3(error), headers: { "content-type": "application/xml" }, body };
}

const CODES: Readonly<Partial<Record<ProblemCode, S3ErrorCode>>> = {
  header_too_large: "RequestHeaderSectionTooLarge",
  request_timeout: "RequestTimeout",
};

/** The objects of buckets as people see them, as JSON; content goes by the gateway. */
export function createBucketsSurface(deps: BucketsSurfaceDeps): Surface {
  return { name: "buckets", mount: (app) => mountBuckets(app, deps) };
}
