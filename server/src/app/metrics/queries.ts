import type { Metrics } from "#kernel/metrics/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";

const MS_PER_S = 1000;

/** Counts the queries that end. */
export function countQueries(metrics: Metrics, { queries }: Pick<TelemetryStore, "queries">): void {
  const duration = metrics.histogram("mooring_query_duration_seconds");
  const wait = metrics.histogram("mooring_query_wait_seconds");
  const refused = metrics.counter("mooring_query_refused_total");
  const scanned = metrics.counter("mooring_query_scanned_bytes_total");
  queries.onEnd(({ state, elapsedMs, waitMs, refusal, bytesRead }) => {
    duration.observe(elapsedMs / MS_PER_S, { outcome: state });
    wait.observe(waitMs / MS_PER_S, {});
    scanned.inc({}, bytesRead);
    if (refusal !== null) refused.inc({ reason: refusal });
  });
}
