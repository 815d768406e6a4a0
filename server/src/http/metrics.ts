import type { FastifyReply, FastifyRequest } from "fastify";
import { Counter, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { registerEventLoopLag } from "./event-loop.ts";

/** Figures of the process in Prometheus' text format. */
export interface HttpMetrics {
  observe(request: FastifyRequest, reply: FastifyReply): void;
  /** The same for a request that the framework did not see. */
  count(answered: Answered): void;
  readonly registry: Registry;
}

/** prom-client can't disable its own measurement of the event loop, whose gauges ours replace. */
const NEVER_MS = 2 ** 31 - 1;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];

export interface Answered {
  /** A pattern or a name, of which there are few. */
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

export function createHttpMetrics(): HttpMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  registerEventLoopLag(registry);
  const requests = new Counter({
    name: "mooring_http_requests_total",
    help: "Requests answered, by route, method and status.",
    labelNames: ["route", "method", "status"],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: "mooring_http_request_seconds",
    help: "Time from the request's first byte to the answer's last, by route.",
    labelNames: ["route"],
    buckets: SECONDS,
    registers: [registry],
  });
  const count = ({ route, method, status, seconds: elapsed }: Answered): void => {
    requests.inc({ route, method, status: String(status) });
    seconds.observe({ route }, elapsed);
  };
  return {
    registry,
    count,
    observe: (request, reply) =>
      count({
        // The route's pattern, never the path: a path holds identifiers and would make a series each.
        route: request.routeOptions.url ?? "unknown",
        method: request.method,
        status: reply.statusCode,
        seconds: reply.elapsedTime / 1000,
      }),
  };
}
