import type { FastifyReply, FastifyRequest } from "fastify";
import { countedStatus, routeOf } from "#http/index.ts";
import type { Sample } from "#kernel/metrics/index.ts";
import { SEVERITY_NAMES, severityRange } from "#kernel/severity.ts";
import { isoFromMs } from "#kernel/time.ts";

/** The service name of the server's own rows. */
export const SERVICE = "mooring";

/** A longer log line loses its attributes, so that one line can't fill the queue. */
const LINE_CHARS_MAX = 64 * 1024;

/** Converts a line of the server's log to a row of `logs` as NDJSON; undefined for any other line. */
export function logRow(line: string): string | undefined {
  const fields = parsed(line);
  const name = SEVERITY_NAMES.find((each) => each === fields?.["level"]);
  if (fields === undefined || name === undefined) return undefined;
  const { level, time, msg, ...attributes } = fields;
  const row = {
    timestamp: time,
    level,
    severity: severityRange(name)[0],
    message: text(msg).slice(0, LINE_CHARS_MAX),
    service: SERVICE,
  };
  const whole = line.length <= LINE_CHARS_MAX && Object.keys(attributes).length > 0;
  return ndjson(whole ? { ...row, attributes } : row);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Converts samples to rows of `metrics` as NDJSON, named as in the Prometheus text format. Leaves out values that are
 * not finite.
 */
export function metricRows(samples: readonly Sample[], nowMs: number): string[] {
  const timestamp = isoFromMs(nowMs);
  return samples
    .filter(({ value }) => Number.isFinite(value))
    .map(({ name, value, labels }) => ndjson({ timestamp, name, value, tags: { ...labels, service: SERVICE } }));
}

/** Version 00 of the `traceparent` field (W3C Trace Context, section 3.2): trace and parent. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

/** Returns random hexadecimal digits, two for each byte. */
export type RandomHex = (bytes: number) => string;

/** An answered request, on any listener. */
export interface AnsweredRequest {
  readonly method: string;
  /** The route's pattern. The path would contain identifiers. Undefined: no route matched. */
  readonly route: string | undefined;
  readonly status: number;
  readonly elapsedMs: number;
  readonly requestId: string;
  readonly traceparent: string | undefined;
  readonly orgId: string | undefined;
  readonly principalId: string | undefined;
}

export function answeredRequest(request: FastifyRequest, reply: FastifyReply): AnsweredRequest {
  const { method, id, headers } = request;
  const whose = request.principal ?? request.signedIn;
  return {
    method,
    route: routeOf(request),
    status: countedStatus(request, reply),
    elapsedMs: reply.elapsedTime,
    requestId: id,
    traceparent: headers["traceparent"]?.toString(),
    orgId: whose?.orgId,
    principalId: whose?.id ?? undefined,
  };
}

/**
 * Converts a request to a row of `traces` as NDJSON. It is one span, in the caller's trace if the caller names one.
 * Names follow OpenTelemetry's HTTP conventions.
 */
export function spanRow(request: AnsweredRequest, nowMs: number, randomHex: RandomHex): string {
  const { method, route, status, elapsedMs } = request;
  const [, traceId, parent] = TRACEPARENT.exec(request.traceparent ?? "") ?? [];
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "http.response.status_code": status,
    request_id: request.requestId,
    organization_id: request.orgId,
    principal_id: request.principalId,
  };
  return ndjson({
    timestamp: isoFromMs(nowMs - elapsedMs),
    trace_id: traceId ?? randomHex(16),
    span_id: randomHex(8),
    parent_span_id: parent,
    name: route === undefined ? method : `${method} ${route}`,
    kind: "server",
    service: SERVICE,
    status: status < 500 ? "ok" : "error",
    duration_ms: Math.round(elapsedMs * 1000) / 1000,
    attributes,
  });
}

/** Replaces lone surrogates, because DuckDB refuses a whole file for one. */
function ndjson(row: object): string {
  return `${JSON.stringify(row, (_key, value: unknown) => (typeof value === "string" ? value.toWellFormed() : value))}\n`;
}
