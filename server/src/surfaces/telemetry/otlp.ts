import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerProblem, principalOf, readBody, type HttpHost } from "#http/index.ts";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { TELEMETRY_TYPES, type TelemetryType } from "#stores/telemetry/index.ts";
import type { OtlpOperation } from "./operations/otlp-export.ts";
import type { OtlpFormat } from "./wire/otlp/encode.ts";
import { MEDIA_TYPES, rpcCodeOf, statusMessage } from "./wire/otlp/responses.ts";

const OPERATIONS = { logs: "otlpLogs", metrics: "otlpMetrics", traces: "otlpTraces" } as const;

/**
 * OTLP/HTTP (OTLP specification 1.x, "OTLP/HTTP"). Specified elsewhere, so not in the contract: answers have the media type
 * of the request, errors are `google.rpc.Status`.
 */
export function mountOtlp(
  app: FastifyInstance,
  host: HttpHost,
  operationOf: (type: TelemetryType) => OtlpOperation,
): void {
  const read = async (_request: FastifyRequest, payload: IncomingMessage): Promise<Buffer> =>
    readBody(payload, INGEST_BODY_BYTES_MAX);
  app.removeAllContentTypeParsers();
  for (const mediaType of Object.values(MEDIA_TYPES)) app.addContentTypeParser(mediaType, read);
  app.addContentTypeParser("*", (_request, _payload, done) => done(notOtlp()));
  app.setErrorHandler((error, request, reply) => sendStatus(error, request, reply));
  for (const type of TELEMETRY_TYPES) {
    const operation = operationOf(type);
    app.route({
      method: "POST",
      url: `/otlp/v1/${type}`,
      bodyLimit: INGEST_BODY_BYTES_MAX,
      config: { operationId: OPERATIONS[type] },
      onRequest: (request, reply) => host.admit(request, reply, "telemetry:write"),
      handler: async (request, reply) => {
        const format = formatOf(request);
        if (format === undefined || !Buffer.isBuffer(request.body)) throw notOtlp();
        const coding = request.headers["content-encoding"];
        const answer = await operation({ format, body: request.body, coding, principal: principalOf(request) });
        return send(reply.code(200), format, answer);
      },
    });
  }
}

function formatOf(request: FastifyRequest): OtlpFormat | undefined {
  const mediaType = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (mediaType === MEDIA_TYPES.json) return "json";
  return mediaType === MEDIA_TYPES.protobuf ? "protobuf" : undefined;
}

function send(reply: FastifyReply, format: OtlpFormat, body: Buffer): FastifyReply {
  return reply.header("content-type", MEDIA_TYPES[format]).send(body);
}

/** "Failures" of the specification. What is neither of the two types is answered in the one that people can read. */
function sendStatus(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message } = answerProblem(request, reply, error);
  const format = formatOf(request) ?? "json";
  return send(reply, format, statusMessage(format, rpcCodeOf(status), message));
}

function notOtlp(): Problem {
  return new Problem("unsupported_media_type", "Send the body as application/x-protobuf or application/json.");
}
