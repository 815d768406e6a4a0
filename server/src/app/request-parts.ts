import { createAccessLog, createHttpMetrics } from "#http/index.ts";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { Config } from "./config.ts";
import type { RequestsPart } from "./requests.ts";

interface RequestPartsOptions {
  readonly telemetry: TelemetryStore;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly requests: Pick<RequestsPart, "refused">;
}

/** Returns what every listener does with each request: its limits, its metrics and its row in the access log. */
export function requestPartsOf(
  { trusted_proxies: trustedProxies, slow_request_ms: slowRequestMs, log_requests: logged }: Config,
  { telemetry, clock, metrics, requests }: RequestPartsOptions,
) {
  const accessLog = createAccessLog({
    policy: (orgId) => telemetry.policy(orgId).accessLog,
    record: (orgId, row) => telemetry.record("access_log", orgId, row),
    nowMs: () => clock.nowMs(),
  });
  const { refused } = requests;
  const logRequests = logged === "all";
  return { trustedProxies, slowRequestMs, logRequests, metrics: createHttpMetrics(metrics), accessLog, refused };
}
