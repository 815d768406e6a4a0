/** Rows for the tests. Their values follow from the index, so that every answer can be computed. */

const START_MS = Date.UTC(2026, 10, 20, 8, 0, 0);
const LEVELS = ["info", "warn", "error", "debug"] as const;
const SEVERITIES = [9, 13, 17, 5] as const;
const SERVICES = ["api", "web", "db"] as const;
const PROJECTS = ["proj_a", "proj_b", undefined] as const;

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const at = (seconds: number): string => new Date(START_MS + seconds * 1000).toISOString().replace("Z", "456Z");

/** Returns row `i` of 1000: one a second; status from 200 to 600 in steps of 5, user in steps of 7, duration = i. */
export function logRow(i: number): Readonly<Record<string, unknown>> {
  return {
    timestamp: at(i),
    level: pick(LEVELS, i),
    severity: pick(SEVERITIES, i),
    message: `GET /api/items/${i % 10} took ${i}ms`,
    service: pick(SERVICES, i),
    trace_id: (i % 50).toString(16).padStart(32, "0"),
    span_id: i.toString(16).padStart(16, "0"),
    attributes: {
      status: 200 + 100 * (i % 5),
      user: `u${i % 7}`,
      duration: i,
      nested: { list: [i, i + 1] },
      "dotted.key": true,
    },
    ...(pick(PROJECTS, i) === undefined ? {} : { project_id: pick(PROJECTS, i) }),
  };
}

/** Returns row `i` of 200: cpu and memory in turn, from four hosts, value i / 2. */
export function metricRow(i: number): Readonly<Record<string, unknown>> {
  return {
    timestamp: at(i * 5),
    name: i % 2 === 0 ? "cpu" : "memory",
    value: i / 2,
    tags: { host: `h${i % 4}`, zone: "a" },
    project_id: "proj_a",
  };
}

/** Returns row `i` of 50: one span a trace, ten seconds apart, duration 10 i. Every tenth failed. */
export function traceRow(i: number): Readonly<Record<string, unknown>> {
  return {
    timestamp: at(i * 10),
    trace_id: i.toString(16).padStart(32, "0"),
    span_id: i.toString(16).padStart(16, "0"),
    name: i % 2 === 0 ? "GET /api" : "query",
    kind: "server",
    service: pick(SERVICES, i),
    status: i % 10 === 0 ? "error" : "ok",
    duration_ms: 10 * i,
    attributes: { attempt: i },
    project_id: "proj_b",
  };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Logs 0 to 599 are in Parquet, 600 to 999 hot; all metrics hot; all traces in Parquet. */
export const FIXTURE = {
  logs: { parquet: upTo(600).map(logRow), hot: upTo(400).map((i) => logRow(600 + i)) },
  metrics: { hot: upTo(200).map(metricRow) },
  traces: { parquet: upTo(50).map(traceRow) },
};
