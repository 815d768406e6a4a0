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
    /** The status of the problem, when the answer has status 200: the protocol puts problems there, or it broke later. */
    problemStatus: number | null;
  }
}

type Method = (typeof METHODS)[number];
type Surface = (typeof SURFACES)[number];
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
  // Nested, because to build one key of all labels would cost more than the rest.
  const known = new Map<string, Map<string, Map<string, Map<number, Counts>>>>();
  const countsOf = (surface: Surface, route: string, method: Method, status: number): Counts => {
    const ofMethod = inner(inner(inner(known, surface), route), method);
    const found = ofMethod.get(status);
    if (found !== undefined) return found;
    const labels = {
      surface,
      http_route: route,
      http_request_method: method,
      http_response_status_code: String(status),
    } as const;
    const made = { count: requests.with(labels), observe: seconds.with(labels) };
    ofMethod.set(status, made);
    return made;
  };
  return {
    observe: (request, reply) => {
      const surface = (request.routeOptions.config.surface ?? "other") as Surface;
      const method = KNOWN_METHODS.has(request.method) ? (request.method as Method) : "_OTHER";
      const route = routeOf(request) ?? "unknown";
      const { count, observe } = countsOf(surface, route, method, countedStatus(request, reply));
      count();
      observe(reply.elapsedTime / 1000);
    },
  };
}

interface Counts {
  readonly count: () => void;
  readonly observe: (seconds: number) => void;
}

function inner<K, V>(outer: Map<string, Map<K, V>>, key: string): Map<K, V> {
  const found = outer.get(key);
  if (found !== undefined) return found;
  const made = new Map<K, V>();
  outer.set(key, made);
  return made;
}
