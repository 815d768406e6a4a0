import type { FastifyReply, FastifyRequest } from "fastify";
import { Counter, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { registerEventLoopLag } from "./event-loop.ts";

/** Metrics of the process in Prometheus' text format. */
export interface HttpMetrics {
  observe(request: FastifyRequest, reply: FastifyReply): void;
  readonly registry: Registry;
}

declare module "fastify" {
  interface FastifyRequest {
    /** The name of the operation, when the route has several. */
    operation: string | null;
    /** The status of the problem, when the protocol answers it with status 200. */
    problemStatus: number | null;
  }
}

/** prom-client can't disable its own measurement of the event loop. Our gauges replace it. */
const NEVER_MS = 2 ** 31 - 1;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

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

export function createHttpMetrics(): HttpMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  registerEventLoopLag(registry);
  const requests = new Counter({
    name: "mooring_http_requests_total",
    help: "Requests answered, by surface, route, method and status.",
    labelNames: ["surface", "route", "method", "status"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "mooring_http_request_seconds",
    help: "Time from the request's first byte to the answer's last, by surface and route.",
    labelNames: ["surface", "route"],
    buckets: SECONDS,
    registers: [registry],
  });
  return {
    registry,
    observe: (request, reply) => {
      const route = routeOf(request) ?? "unknown";
      const { surface = "other" } = request.routeOptions.config;
      requests.inc({ surface, route, method: request.method, status: String(countedStatus(request, reply)) });
      seconds.observe({ surface, route }, reply.elapsedTime / 1000);
    },
  };
}
