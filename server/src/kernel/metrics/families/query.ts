import type { Family } from "../family.ts";

const SANDBOX_LAYERS = [
  "limits",
  "namespaces",
  "read-only files",
  "hidden data",
  "privileges",
  "memory watchdog",
] as const;

const OUTCOMES = ["done", "failed", "cancelled", "refused"] as const;
const REFUSALS = ["actor_waiting", "organization_waiting", "waited_too_long", "scan_limit", "other"] as const;

export const QUERY = {
  mooring_query_running: { type: "gauge", help: "Queries that run now" },
  mooring_query_waiting: { type: "gauge", help: "Queries that wait for others" },
  mooring_query_duration_seconds: {
    type: "histogram",
    help: "Time from the request of a query to its end, with its wait and its reader",
    labels: { outcome: OUTCOMES },
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
  mooring_query_wait_seconds: {
    type: "histogram",
    help: "How long queries waited for others until they began or were refused",
    buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    alerts: [
      {
        name: "MooringQueriesWait",
        group: "work",
        expression:
          "histogram_quantile(0.95, sum by (instance, le) (rate(mooring_query_wait_seconds_bucket[10m]))) > 5",
        for: "10m",
        severity: "warning",
        summary: "Queries on {{ $labels.instance }} wait long",
        description: "5 % of the queries wait longer than 5 s for others.",
        remedy:
          "`mooring query list` shows who runs and waits. End the queries that nobody needs (`mooring query cancel-all --actor cred_…`), then look at the slow ones and their reasons (the page Queries, or the table [query_log](query-log.md)): a range of times often helps. If all of them are needed, raise `query_concurrency` and `query_concurrency_organization` on a machine with more cores.",
        page: "slow-queries",
        test: {
          bad: {
            'mooring_query_wait_seconds_bucket{le="5"}': "0+50x40",
            'mooring_query_wait_seconds_bucket{le="10"}': "0+100x40",
            'mooring_query_wait_seconds_bucket{le="+Inf"}': "0+100x40",
          },
          good: {
            'mooring_query_wait_seconds_bucket{le="5"}': "0+99x40",
            'mooring_query_wait_seconds_bucket{le="10"}': "0+100x40",
            'mooring_query_wait_seconds_bucket{le="+Inf"}': "0+100x40",
          },
          quietAt: "9m",
          firesAt: "25m",
          keeps: "instance",
        },
      },
    ],
  },
  mooring_query_refused_total: {
    type: "counter",
    help: "Queries that were refused before they ran, by the limit that refused them",
    labels: { reason: REFUSALS },
    alerts: [
      {
        name: "MooringQueriesRefused",
        group: "work",
        expression: "sum by (instance) (rate(mooring_query_refused_total[10m])) > 0.1",
        for: "10m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} refuses queries",
        description:
          "{{ $value | printf `%.1f` }} queries per second are refused, because too many run at the same time.",
        remedy:
          "Too many queries run at the same time, so others get 429: `mooring query list` shows who runs and waits, and `mooring query cancel-all --actor …` ends the queries of one. Or raise `query_concurrency`. See [query](query.md).",
        page: "slow-queries",
        problem: {
          text: "Queries are refused, because too many run at the same time.",
          metric: "mooring_query_refused_total",
          withinS: 600,
          by: [],
          holds: (value) => value > 60,
        },
        test: {
          bad: { 'mooring_query_refused_total{reason="waited_too_long"}': "0+12x40" },
          good: {
            'mooring_query_refused_total{reason="waited_too_long"}': "0+5x40",
            'mooring_query_refused_total{reason="scan_limit"}': "0+1x40",
          },
          quietAt: "9m",
          firesAt: "25m",
          keeps: "instance",
          value: "0.2",
        },
      },
    ],
  },
  mooring_query_scanned_bytes_total: {
    type: "counter",
    help: "Bytes of the files that queries have opened",
  },
  mooring_query_sandbox_layer: {
    type: "gauge",
    help: "1 while a layer of the sandbox of queries is in force, 0 if this machine lacks it",
    labels: { layer: SANDBOX_LAYERS },
    alerts: [
      {
        name: "MooringSandboxLayerMissing",
        group: "security",
        expression: "mooring_query_sandbox_layer == 0",
        for: "10m",
        severity: "warning",
        summary: "The SQL sandbox on {{ $labels.instance }} lacks a layer",
        description:
          "The layer {{ $labels.layer }} is not in force. Statements are still checked and limited, but less isolated.",
        remedy:
          "A layer of the SQL sandbox is not in force. `mooring doctor` says why, for example because the container or the kernel forbids namespaces. `query_sandbox=require` refuses SQL until all layers are in force.",
        page: "sandbox-missing",
        problem: {
          text: "SQL runs without a layer of its sandbox: {layer}.",
          metric: "mooring_query_sandbox_layer",
          holds: (value) => value === 0,
        },
        test: {
          bad: { 'mooring_query_sandbox_layer{layer="namespaces"}': "0x20" },
          good: { 'mooring_query_sandbox_layer{layer="namespaces"}': "1x20" },
          quietAt: "9m",
          firesAt: "11m",
          labels: { layer: "namespaces" },
        },
      },
    ],
  },
} as const satisfies Readonly<Record<string, Family>>;
