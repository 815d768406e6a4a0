import type { OwnTable } from "./records.ts";

/** An example statement. A test runs each of them. */
export interface Example {
  readonly title: string;
  readonly sql: string;
  /** Shown only to callers who may read this table. */
  readonly records?: OwnTable;
}

export const EXAMPLES: readonly Example[] = [
  {
    title: "The newest entries",
    sql: "SELECT timestamp, level, service, message FROM logs ORDER BY timestamp DESC LIMIT 100",
  },
  {
    title: "Entries of the last hour by level",
    sql: "SELECT level, count(*) AS entries FROM logs WHERE timestamp > now() - INTERVAL 1 HOUR GROUP BY level ORDER BY entries DESC",
  },
  {
    title: "Errors by the minute",
    sql: "SELECT date_trunc('minute', timestamp) AS minute, count(*) AS errors FROM logs WHERE severity >= 17 GROUP BY minute ORDER BY minute",
  },
  {
    title: "The slowest paths, by an attribute",
    sql: "SELECT (attributes->>'path') AS path, quantile_cont((attributes->>'duration_ms')::DOUBLE, 0.95) AS p95_ms FROM logs WHERE (attributes->>'duration_ms') IS NOT NULL GROUP BY path ORDER BY p95_ms DESC LIMIT 10",
  },
  {
    title: "Attribute keys, most frequent first",
    sql: "SELECT key, count(*) AS entries FROM (SELECT unnest(json_keys(attributes)) AS key FROM logs) GROUP BY key ORDER BY entries DESC LIMIT 100",
  },
  {
    title: "A metric by quarter of an hour",
    sql: "SELECT time_bucket(INTERVAL 15 MINUTE, timestamp) AS quarter, tags['host'] AS host, avg(value) AS value FROM metrics WHERE name = 'cpu' GROUP BY ALL ORDER BY quarter",
  },
  {
    title: "The slowest spans by service and name",
    sql: "SELECT service, name, count(*) AS spans, quantile_cont(duration_ms, 0.95) AS p95_ms FROM traces GROUP BY ALL ORDER BY p95_ms DESC LIMIT 20",
  },
  {
    title: "Failed spans with the log entries of their traces",
    sql: "SELECT t.trace_id, t.name, t.status, l.level, l.message FROM traces t JOIN logs l ON l.trace_id = t.trace_id WHERE t.status <> 'ok' ORDER BY l.timestamp DESC LIMIT 100",
  },
  {
    title: "Who did what, the newest first",
    sql: "SELECT timestamp, actor_kind, actor_id, action, target_id, result, ip FROM audit_log ORDER BY timestamp DESC LIMIT 100",
    records: "audit_log",
  },
  {
    title: "Refused acts by address",
    sql: "SELECT ip, action, count(*) AS refused FROM audit_log WHERE result = 'denied' GROUP BY ALL ORDER BY refused DESC LIMIT 20",
    records: "audit_log",
  },
  {
    title: "Who read a file, the newest first",
    sql: "SELECT timestamp, actor_kind, actor_id, action, outcome, bytes_out, ip FROM access_log WHERE target_kind = 'file' ORDER BY timestamp DESC LIMIT 100",
    records: "access_log",
  },
  {
    title: "The largest readers of the last day",
    sql: "SELECT actor_id, action, count(*) AS requests, sum(bytes_out) AS bytes FROM access_log WHERE timestamp > now() - INTERVAL 1 DAY GROUP BY ALL ORDER BY bytes DESC NULLS LAST LIMIT 20",
    records: "access_log",
  },
  {
    title: "Usage of the last 30 days by project",
    sql: "SELECT project_id, sum(requests) AS requests, sum(bytes_in) AS bytes_in, sum(bytes_out) AS bytes_out, sum(bytes_scanned) AS bytes_scanned FROM usage_daily WHERE timestamp > now() - INTERVAL 30 DAY GROUP BY project_id ORDER BY bytes_in DESC",
    records: "usage_daily",
  },
  {
    title: "The slowest kinds of statements, with the reasons",
    sql: "SELECT statement_hash, any_value(statement) AS statement, count(*) AS runs, sum(elapsed_ms) AS total_ms, max(elapsed_ms) AS slowest_ms, sum(bytes_read) AS bytes, any_value(slow) AS reasons FROM query_log WHERE elapsed_ms >= 1000 GROUP BY statement_hash ORDER BY total_ms DESC LIMIT 20",
    records: "query_log",
  },
  {
    title: "What each actor reads by SQL",
    sql: "SELECT actor_kind, actor_id, count(*) AS statements, sum(bytes_read) AS bytes, sum(run_ms) AS run_ms FROM query_log WHERE timestamp > now() - INTERVAL 1 DAY GROUP BY ALL ORDER BY bytes DESC LIMIT 20",
    records: "query_log",
  },
  {
    title: "Events of webhooks by kind",
    sql: "SELECT type, count(*) AS events, max(timestamp) AS newest FROM webhook_events GROUP BY type ORDER BY events DESC",
    records: "webhook_events",
  },
  {
    title: "Images by repository, with their tags and pulls",
    sql: "SELECT repository, tags, size_bytes, pulls, last_pull_at FROM images WHERE subject IS NULL ORDER BY timestamp DESC LIMIT 100",
    records: "images",
  },
  {
    title: "Stored bytes by kind of file",
    sql: "SELECT content_type, count(*) AS files, sum(size_bytes) AS bytes FROM files GROUP BY content_type ORDER BY bytes DESC LIMIT 20",
    records: "files",
  },
  {
    title: "Objects and bytes by bucket and first folder",
    sql: "SELECT bucket, regexp_extract(key, '^[^/]*/') AS prefix, count(*) AS objects, sum(size_bytes) AS bytes FROM objects WHERE is_latest AND NOT is_delete_marker GROUP BY ALL ORDER BY bytes DESC LIMIT 50",
    records: "objects",
  },
  {
    title: "Bytes of all versions except the current one",
    sql: "SELECT bucket, count(*) AS versions, sum(size_bytes) AS bytes FROM objects WHERE NOT is_latest GROUP BY bucket ORDER BY bytes DESC",
    records: "objects",
  },
];
