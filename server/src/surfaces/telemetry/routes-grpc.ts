import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerProblem, fieldsOf, senderOf, statusOf, type Surface } from "#http/index.ts";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import type { Problem } from "#kernel/problem.ts";
import { TELEMETRY_TYPES } from "#stores/telemetry/index.ts";
import type { TelemetrySurfaceDeps } from "./deps.ts";
import { otlpExport, type OtlpOperation } from "./operations/otlp-export.ts";
import { deadlineOf } from "./grpc/deadline.ts";
import { framed, readMessage } from "./grpc/message.ts";
import { GRPC_PATHS, isCollectorPath, isGrpc } from "./grpc/services.ts";
import { ACCEPTED_ENCODINGS, failureFields, GRPC } from "./grpc/status.ts";

const OPERATIONS = { logs: "grpcLogs", metrics: "grpcMetrics", traces: "grpcTraces" } as const;
const MEDIA_TYPE = "application/grpc";
const RETRY_AFTER_S = 1;

/**
 * OTLP/gRPC (OTLP specification 1.x, "OTLP/gRPC"; grpc/doc/PROTOCOL-HTTP2.md). `http/http2.ts` forwards the calls as
 * requests of HTTP/1.1, so that all rules of the HTTP server apply to them.
 */
export function createOtlpGrpcSurface(deps: TelemetrySurfaceDeps): Surface {
  return {
    name: "telemetry",
    mount: (app) => mountGrpc(app, deps),
    errors: {
      covers: isCollectorPath,
      methodsOf: (path) => (Object.values(GRPC_PATHS).includes(path) ? ["POST"] : []),
      send: (request, reply, error) => sendFailure(error, request, reply),
      render: (problem) => ({ status: statusOf(problem), headers: {}, body: "" }),
    },
  };
}

function mountGrpc(app: FastifyInstance, deps: TelemetrySurfaceDeps): void {
  app.removeAllContentTypeParsers();
  // The message is read by the operation, after its prefix was checked.
  app.addContentTypeParser("*", (_request, _payload, done) => done(null, undefined));
  app.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  for (const type of TELEMETRY_TYPES) {
    const operation = otlpExport(deps, type);
    app.route({
      method: "POST",
      url: GRPC_PATHS[type],
      bodyLimit: INGEST_BODY_BYTES_MAX,
      config: { operationId: OPERATIONS[type], streamsBody: true },
      onRequest: (request, reply) => deps.host.admitSender(request, reply),
      handler: (request, reply) => call(operation, request, reply),
    });
  }
}

async function call(operation: OtlpOperation, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (!isGrpc(request.headers["content-type"])) return reply.code(415).send();
  const deadline = deadlineOf(textOf(request.headers["grpc-timeout"]));
  let answer: Buffer;
  try {
    const { bytes, coding } = await readMessage(request.raw, {
      bytesMax: INGEST_BODY_BYTES_MAX,
      encoding: textOf(request.headers["grpc-encoding"]),
      hold: (held) => reply.holdBody(held),
      signal: deadline.signal,
    });
    deadline.signal.throwIfAborted();
    answer = await operation({
      format: "protobuf",
      body: { pieces: [bytes], coding },
      ...senderOf(request),
    });
  } finally {
    deadline.release();
  }
  return reply
    .headers({ "content-type": MEDIA_TYPE, "grpc-accept-encoding": ACCEPTED_ENCODINGS })
    .trailer("grpc-status", async () => String(GRPC.ok))
    .send(framed(answer));
}

/** Answers "Trailers-Only": all fields in one header with status 200. A request of other content gets its status. */
function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem: Problem = answerProblem(request, reply, error);
  if (!isGrpc(request.headers["content-type"])) return reply.send();
  request.problemStatus = statusOf(problem);
  const retryAfterS = Number(fieldsOf(problem)["retry-after"] ?? RETRY_AFTER_S);
  const failure = failureFields(problem, { retryAfterS, isUnrouted: request.is404 });
  return reply
    .code(200)
    .removeHeader("www-authenticate")
    .headers({ "content-type": MEDIA_TYPE, "content-length": "0", ...failure })
    .send();
}

function textOf(field: string | readonly string[] | undefined): string | undefined {
  return typeof field === "string" ? field : field?.[0];
}
