import type { FastifyReply, FastifyRequest } from "fastify";
import { METHODS, type Metrics, type SURFACES } from "#kernel/metrics/index.ts";

/** Counts answered requests. */
export interface HttpMetrics {
  observe(request: FastifyRequest, reply: FastifyReply): void;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The name of the operation, when the route has several. */
    operation: string | null;
    /** The status of the problem, when the protocol answers it with status 200. */
    problemStatus: number | null;
  }
}

type Surface = (typeof SURFACES)[number];
type Method = (typeof METHODS)[number];
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/**
 * Returns the operation's name or the route's pattern. The path would contain identifiers. Undefined: no route matched.
 */
export function routeOf(request: FastifyRequest): string | undefined {
  return request.operation ?? request.routeOptions.url;
}

/** Returns the status under which the answer is counted and logged. */
export function countedStatus(request: FastifyRequest, reply: FastifyReply): number {
  return request.problemStatus ?? reply.statusCode;
}

export function createHttpMetrics(metrics: Metrics): HttpMetrics {
  const requests = metrics.counter("mooring_http_requests_total");
  const seconds = metrics.histogram("http_server_request_duration_seconds");
  return {
    observe: (request, reply) => {
      const route = routeOf(request) ?? "unknown";
      const surface = (request.routeOptions.config.surface ?? "other") as Surface;
      const method = KNOWN_METHODS.has(request.method) ? (request.method as Method) : "_OTHER";
      const status = String(countedStatus(request, reply));
      const labels = { surface, http_route: route, http_request_method: method, http_response_status_code: status };
      requests.inc(labels);
      seconds.observe(reply.elapsedTime / 1000, labels);
    },
  };
}
