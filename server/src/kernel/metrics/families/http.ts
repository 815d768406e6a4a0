import type { Family } from "../family.ts";

/** The names of all surfaces; `other`: no route matched. */
export const SURFACES = [
  "alerts",
  "api",
  "buckets",
  "files",
  "health",
  "oauth",
  "organization",
  "other",
  "portal",
  "query",
  "registry",
  "s3",
  "telemetry",
  "webhooks",
] as const;
/** Any other method is `_OTHER`, as in OpenTelemetry's conventions. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "_OTHER"] as const;
const ROUTES = { bound: "patterns of routes and names of operations; `unknown`: no route matched", max: 600 } as const;
const STATUSES = { bound: "status codes of answers", max: 60 } as const;

const LISTENERS = ["listen", "s3_listen"] as const;

export const HTTP = {
  mooring_http_requests_total: {
    type: "counter",
    help: "Requests answered",
    labels: {
      surface: SURFACES,
      http_route: ROUTES,
      http_request_method: METHODS,
      http_response_status_code: STATUSES,
    },
    alerts: [
      {
        name: "MooringServerErrors",
        group: "availability",
        expression:
          'sum by (instance, surface) (rate(mooring_http_requests_total{surface!="health", http_response_status_code=~"5.."}[10m])) / sum by (instance, surface) (rate(mooring_http_requests_total{surface!="health"}[10m])) > 0.05',
        for: "5m",
        severity: "warning",
        summary: "Requests to {{ $labels.surface }} on {{ $labels.instance }} fail",
        description:
          "{{ $value | humanizePercentage }} of the requests of the last 10 minutes got a status from 500 on.",
        remedy:
          "More than 5 % of the requests to one surface got a status from 500 on. The log has a line with the level `error` and a `request_id` for each unexpected error. 503 with `disk_full`, `unavailable` or `telemetry_incomplete` is expected when the disk, the database or another server is missing.",
        test: {
          bad: {
            'mooring_http_requests_total{surface="files", http_response_status_code="200"}': "0+90x40",
            'mooring_http_requests_total{surface="files", http_response_status_code="503"}': "0+10x40",
            'mooring_http_requests_total{surface="health", http_response_status_code="503"}': "0+90x40",
          },
          good: {
            'mooring_http_requests_total{surface="files", http_response_status_code="200"}': "0+96x40",
            'mooring_http_requests_total{surface="files", http_response_status_code="503"}': "0+4x40",
          },
          quietAt: "4m",
          firesAt: "20m",
          labels: { surface: "files" },
          keeps: "instance",
          value: "10%",
        },
      },
      {
        name: "MooringRateLimited",
        group: "security",
        expression:
          'sum by (instance, surface) (rate(mooring_http_requests_total{http_response_status_code="429", http_route!="/v1/query"}[10m])) > 1',
        for: "15m",
        severity: "warning",
        summary: "{{ $labels.instance }} refuses requests to {{ $labels.surface }}",
        description: "{{ $value | printf `%.1f` }} requests per second exceed a rate limit or a quota.",
        remedy:
          "More than one request per second exceeds a rate limit or a quota. Find the credential on the page Credentials (requests, refused). Slow the client down, or raise `rate_limit_per_second` or the quota.",
        test: {
          bad: {
            'mooring_http_requests_total{surface="files", http_route="/v1/upload", http_response_status_code="429"}':
              "0+120x40",
          },
          good: {
            'mooring_http_requests_total{surface="files", http_route="/v1/upload", http_response_status_code="429"}':
              "0+30x40",
          },
          quietAt: "14m",
          firesAt: "30m",
          labels: { surface: "files" },
          keeps: "instance",
          value: "2.0",
        },
      },
    ],
  },
  mooring_http_refused_total: {
    type: "counter",
    help: "Requests refused, by the rule that refused them",
    labels: { surface: SURFACES, reason: { bound: "the rules of [refused requests](refusals.md)", max: 40 } },
    alerts: [
      {
        name: "MooringQuotaFull",
        group: "storage",
        expression: 'sum by (instance, surface) (increase(mooring_http_refused_total{reason="quota"}[15m])) > 0',
        for: "5m",
        severity: "warning",
        summary: "A quota is used up: {{ $labels.instance }} refuses requests to {{ $labels.surface }}",
        description:
          "{{ $value | printf `%.0f` }} requests of the last 15 minutes exceeded the quota of an organization.",
        remedy:
          "An organization has used up what it may store or send. Find it, look at what has grown, and delete data or raise the quota.",
        page: "quota-full",
        problem: {
          text: "Requests to {surface} exceed the quota of an organization, and are refused.",
          metric: "mooring_http_refused_total",
          only: { reason: ["quota"] },
          withinS: 900,
          by: ["surface"],
          holds: (value) => value > 0,
        },
        test: {
          bad: { 'mooring_http_refused_total{surface="telemetry", reason="quota"}': "0+10x40" },
          good: { 'mooring_http_refused_total{surface="telemetry", reason="rate"}': "0+10x40" },
          quietAt: "4m",
          firesAt: "30m",
          labels: { surface: "telemetry" },
          keeps: "instance",
          value: "150",
        },
      },
    ],
  },
  http_server_request_duration_seconds: {
    type: "histogram",
    help: "Time from a request's first byte to the answer's last",
    labels: { surface: SURFACES, http_route: ROUTES, http_request_method: METHODS },
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    alerts: [
      {
        name: "MooringSlow",
        group: "availability",
        expression:
          'histogram_quantile(0.99, sum by (instance, le) (rate(http_server_request_duration_seconds_bucket{http_route=~"/oauth/token|/v1/ingest/:type"}[10m]))) > 1',
        for: "10m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} answers slowly",
        description:
          "One of a hundred requests for a token or with telemetry takes longer than {{ $value | humanizeDuration }}.",
        remedy:
          '1 % of the requests for tokens or with telemetry take longer than a second. Compare with the panels "Event loop" and "CPU", with the disk\'s load, and with the times of PostgreSQL. Lines `request answered` in the log name slow requests.',
        test: {
          bad: {
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="0.5"}': "0+50x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="1"}': "0+98x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="2.5"}': "0+100x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="+Inf"}': "0+100x40",
          },
          good: {
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="0.5"}': "0+99x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="1"}': "0+100x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="2.5"}': "0+100x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/ingest/:type", le="+Inf"}': "0+100x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/tail/logs", le="1"}': "0x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/tail/logs", le="2.5"}': "0x40",
            'http_server_request_duration_seconds_bucket{http_route="/v1/tail/logs", le="+Inf"}': "0+500x40",
          },
          quietAt: "9m",
          firesAt: "25m",
          keeps: "instance",
          value: "1.75s",
        },
      },
    ],
  },
  mooring_http_connections: {
    type: "gauge",
    help: "Open connections of a listener",
    labels: { listener: LISTENERS },
    alerts: [
      {
        name: "MooringConnections",
        group: "process",
        expression: "mooring_http_connections / mooring_http_connections_max > 0.9",
        for: "5m",
        severity: "warning",
        summary: "Mooring on {{ $labels.instance }} has nearly all connections in use",
        description:
          "{{ $value | humanizePercentage }} of the connections of {{ $labels.listener }} are open. Beyond the limit, new ones are closed.",
        remedy:
          "Find the clients with most connections (`ss -tn`): a client without a pool opens one for each request, and a flood comes from few addresses. Block it at the proxy, or raise `connections_max` and the limit of file descriptors.",
        test: {
          bad: {
            'mooring_http_connections{listener="listen"}': "0x4 95x20",
            'mooring_http_connections_max{listener="listen"}': "100x24",
          },
          good: {
            'mooring_http_connections{listener="listen"}': "0x4 85x20",
            'mooring_http_connections_max{listener="listen"}': "100x24",
          },
          quietAt: "9m",
          firesAt: "12m",
          labels: { listener: "listen" },
          value: "95%",
        },
      },
    ],
  },
  mooring_http_connections_max: {
    type: "gauge",
    help: "The limit of open connections of a listener (connections_max)",
    labels: { listener: LISTENERS },
  },
  mooring_http_connections_refused_total: {
    type: "counter",
    help: "Connections that were closed at once, because too many were open",
    labels: { listener: LISTENERS },
  },
} as const satisfies Readonly<Record<string, Family>>;
