import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import type { TelemetryType } from "#stores/telemetry/index.ts";
import { GRPC } from "./status.ts";

/** The path prefix of all services of OTLP (opentelemetry-proto, `collector/`). */
const COLLECTOR = "/opentelemetry.proto.collector.";

/** The method of each type. */
export const GRPC_PATHS: Readonly<Record<TelemetryType, string>> = {
  logs: `${COLLECTOR}logs.v1.LogsService/Export`,
  metrics: `${COLLECTOR}metrics.v1.MetricsService/Export`,
  traces: `${COLLECTOR}trace.v1.TraceService/Export`,
};

/** Whether a path belongs to a service of OTLP, known or not. */
export function isCollectorPath(path: string): boolean {
  return path.startsWith(COLLECTOR);
}

/** `application/grpc`, also with its default message format (gRPC over HTTP2, "Content-Type"). */
export function isGrpc(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/grpc(\+proto)?\s*(;|$)/i.test(contentType);
}

/** Returns the header of the refusal of a request that is not a call of OTLP. */
export function refuseOthers(headers: IncomingHttpHeaders): OutgoingHttpHeaders | undefined {
  if (headers[":method"] !== "POST" || !isGrpc(headers["content-type"])) return { ":status": 415 };
  if (isCollectorPath(headers[":path"] ?? "")) return undefined;
  return {
    ":status": 200,
    "content-type": "application/grpc",
    "grpc-status": String(GRPC.unimplemented),
    "grpc-message": "this address has the services of OTLP only",
  };
}
