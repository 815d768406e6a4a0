import type { IncomingMessage } from "node:http";
import { ALERT_ROUTES, TELEMETRY_ROUTES, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  answerProblem,
  mountRoute,
  mountRoutes,
  openToSendingPages,
  readBodyPieces,
  senderOf,
  statusOf,
} from "#http/index.ts";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { TELEMETRY_TYPES, type TelemetryType } from "#stores/telemetry/index.ts";
import type { AlertsSurfaceDeps, TelemetrySettingsSurfaceDeps, TelemetrySurfaceDeps } from "./deps.ts";
import * as alerts from "./operations/alerts.ts";
import * as erasures from "./operations/erasures.ts";
import * as retentionRules from "./operations/retention-rules.ts";
import { ingest } from "./operations/ingest.ts";
import { otlpExport } from "./operations/otlp-export.ts";
import * as ingestRules from "./operations/ingest-rules.ts";
import { previewIngestRule } from "./operations/preview-ingest-rule.ts";
import * as accessLog from "./operations/access-log.ts";
import * as queryLog from "./operations/query-log.ts";
import { listRefusedEntries } from "./operations/refused-entries.ts";
import * as settings from "./operations/settings.ts";
import { tailLogs } from "./operations/tail-logs.ts";
import { mountProtocols } from "./routes-protocols.ts";
import { codingOf } from "./wire/coding.ts";
import { LINES_TYPES, mediaTypeOf } from "./wire/media-types.ts";
import type { OtlpFormat } from "./wire/otlp/encode.ts";
import { MEDIA_TYPES, rpcCodeOf, statusMessage } from "./wire/otlp/responses.ts";
import type { SentBody } from "./wire/sent-body.ts";

const OTLP_OPERATIONS = { logs: "otlpLogs", metrics: "otlpMetrics", traces: "otlpTraces" } as const;

/**
 * The prefixes of `/v1/{logs,metrics,traces}`. Exporters append only this default path to
 * `OTEL_EXPORTER_OTLP_ENDPOINT`.
 */
const OTLP_PREFIXES = ["/otlp", ""];

/** Row → operation. The contract's row has the permission; OTLP is specified elsewhere and has no row. */
export function mountTelemetry(app: FastifyInstance, deps: TelemetrySurfaceDeps): void {
  // A separate context, so that its body parsers and error format stay with it.
  void app.register(async (scope) => mountOtlp(scope, deps));
  void app.register(async (scope) => mountIngest(scope, deps));
  mountProtocols(app, deps);
  const { ingest: _, ...rows } = TELEMETRY_ROUTES;
  mountRoutes(app, deps, rows, { tailLogs: tailLogs(deps) });
}

/** Keeps the body as bytes: it is checked and encoded in one pass, off the event loop if it is large. */
function mountIngest(app: FastifyInstance, deps: TelemetrySurfaceDeps): void {
  const { host } = deps;
  openToSendingPages(app, host, ["/v1/ingest/:type"]);
  app.removeAllContentTypeParsers();
  for (const mediaType of ["application/json", ...LINES_TYPES]) app.addContentTypeParser(mediaType, readIngestBody);
  app.addContentTypeParser("*", (_request, _payload, done) => done(notIngest()));
  const admit = (request: FastifyRequest, reply: FastifyReply): Promise<void> => host.admitSender(request, reply);
  const options = { bodyBytesMax: INGEST_BODY_BYTES_MAX, admit };
  mountRoute(app, host, TELEMETRY_ROUTES.ingest, (input, context) => ingest(deps, input, context), options);
}

async function readIngestBody(_request: FastifyRequest, payload: IncomingMessage): Promise<SentBody> {
  const pieces = await readBodyPieces(payload, INGEST_BODY_BYTES_MAX);
  return { pieces, coding: codingOf(payload.headers["content-encoding"]) };
}

/**
 * OTLP/HTTP (OTLP specification 1.x, "OTLP/HTTP"): answers have the media type of the request, errors are
 * `google.rpc.Status`.
 */
function mountOtlp(app: FastifyInstance, deps: TelemetrySurfaceDeps): void {
  app.removeAllContentTypeParsers();
  for (const mediaType of Object.values(MEDIA_TYPES)) app.addContentTypeParser(mediaType, readIngestBody);
  app.addContentTypeParser("*", (_request, _payload, done) => done(notOtlp()));
  app.setErrorHandler((error, request, reply) => sendStatus(error, request, reply));
  const urls = TELEMETRY_TYPES.flatMap((type) => OTLP_PREFIXES.map((prefix) => `${prefix}/v1/${type}`));
  openToSendingPages(app, deps.host, urls);
  for (const type of TELEMETRY_TYPES) for (const prefix of OTLP_PREFIXES) mountExport(app, deps, { type, prefix });
}

function mountExport(
  app: FastifyInstance,
  deps: TelemetrySurfaceDeps,
  { type, prefix }: { type: TelemetryType; prefix: string },
): void {
  const operation = otlpExport(deps, type);
  app.route({
    method: "POST",
    url: `${prefix}/v1/${type}`,
    bodyLimit: INGEST_BODY_BYTES_MAX,
    config: { operationId: OTLP_OPERATIONS[type] },
    onRequest: (request, reply) => deps.host.admitSender(request, reply),
    handler: async (request, reply) => {
      const format = formatOf(request);
      const body = request.body as SentBody | undefined;
      if (format === undefined || body === undefined) throw notOtlp();
      const answer = await operation({ format, body, ...senderOf(request) });
      return send(reply.code(200), format, answer);
    },
  });
}

function formatOf(request: FastifyRequest): OtlpFormat | undefined {
  const mediaType = mediaTypeOf(request.headers["content-type"]);
  if (mediaType === MEDIA_TYPES.json) return "json";
  return mediaType === MEDIA_TYPES.protobuf ? "protobuf" : undefined;
}

function send(reply: FastifyReply, format: OtlpFormat, body: Buffer): FastifyReply {
  return reply.header("content-type", MEDIA_TYPES[format]).send(body);
}

/**
 * Answers an error by "Failures" of the specification. A request with another content type gets JSON, which people can
 * read.
 */
function sendStatus(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = answerProblem(request, reply, error);
  const format = formatOf(request) ?? "json";
  return send(reply, format, statusMessage(format, rpcCodeOf(statusOf(problem)), problem.message));
}

function notIngest(): Problem {
  const types = ["application/json", ...LINES_TYPES].join(", ");
  return new Problem("unsupported_media_type", `Send the body as one of ${types}.`);
}

function notOtlp(): Problem {
  return new Problem("unsupported_media_type", "Send the body as application/x-protobuf or application/json.");
}

export function mountTelemetrySettings(app: FastifyInstance, deps: TelemetrySettingsSurfaceDeps): void {
  mountRoutes(app, deps, TELEMETRY_SETTINGS_ROUTES, {
    ...settings,
    ...accessLog,
    ...queryLog,
    ...erasures,
    ...retentionRules,
    ...ingestRules,
    previewIngestRule,
    listRefusedEntries,
  });
}

export function mountAlerts(app: FastifyInstance, deps: AlertsSurfaceDeps): void {
  mountRoutes(app, deps, ALERT_ROUTES, alerts);
}
