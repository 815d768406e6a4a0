import { createAccessLog, createHttpMetrics } from "#http/index.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Config } from "./config.ts";

/** Returns what every listener does with each request: its limits, its metrics and its row in the access log. */
export function requestPartsOf(
  { trusted_proxies: trustedProxies, slow_request_ms: slowRequestMs }: Config,
  { telemetry, clock, metrics }: { telemetry: TelemetryStore; clock: Clock; metrics: Metrics },
) {
  const accessLog = createAccessLog({
    policy: (orgId) => telemetry.policy(orgId).accessLog,
    record: (orgId, row) => telemetry.record("access_log", orgId, row),
    nowMs: () => clock.nowMs(),
  });
  return { trustedProxies, slowRequestMs, metrics: createHttpMetrics(metrics), accessLog };
}
