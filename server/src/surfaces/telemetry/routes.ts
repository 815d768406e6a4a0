import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { TELEMETRY_ROUTES } from "@mooring/contract";
import { mountRoute, readBody } from "#http/index.ts";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import type { TelemetrySurfaceDeps } from "./index.ts";
import { ingest } from "./operations/ingest.ts";
import { otlpExport } from "./operations/otlp-export.ts";
import { mountOtlp } from "./otlp.ts";

/** Row → operation. The permission of each stands in the contract's row. */
export function mountTelemetry(app: FastifyInstance, deps: TelemetrySurfaceDeps): void {
  // In a context of its own: what parses its bodies and renders its errors stays with it.
  void app.register(async (scope) => mountOtlp(scope, deps.host, (type) => otlpExport(deps, type)));
  // The bytes as they came: they are checked and encoded in one pass, off the event loop when they are many.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", async (_request: FastifyRequest, payload: IncomingMessage) =>
    readBody(payload, INGEST_BODY_BYTES_MAX),
  );
  mountRoute(app, deps.host, TELEMETRY_ROUTES.ingest, ingest(deps), { bodyBytesMax: INGEST_BODY_BYTES_MAX });
}
