import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { QueryRequest } from "../types.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { openTestEngine, rows, type TestEngine } from "./testing/harness.ts";

interface Case {
  readonly name: string;
  readonly sql: string;
  readonly parameters?: QueryRequest["parameters"];
  readonly rows: readonly (readonly unknown[])[];
}

/** Statements of people who search logs or draw a dashboard. The values follow from the fixture. */
const CASES: readonly Case[] = [
  { name: "count", sql: "SELECT count(*) FROM logs", rows: [[1000]] },
  { name: "count in main", sql: "SELECT count(*) FROM main.logs", rows: [[1000]] },
  { name: "FROM first", sql: "FROM logs SELECT count(*) WHERE level = 'error'", rows: [[250]] },
  { name: "other letters", sql: "select COUNT(*) from LOGS", rows: [[1000]] },
  {
    name: "last rows",
    sql: "SELECT timestamp, message FROM logs ORDER BY timestamp DESC LIMIT 2",
    rows: [
      ["2026-11-20T08:16:39.000456Z", "GET /api/items/9 took 999ms"],
      ["2026-11-20T08:16:38.000456Z", "GET /api/items/8 took 998ms"],
    ],
  },
  {
    name: "paging",
    sql: "SELECT (attributes->>'duration')::int FROM logs ORDER BY timestamp LIMIT 2 OFFSET 10",
    rows: [[10], [11]],
  },
  {
    name: "time range",
    sql: "SELECT count(*) FROM logs WHERE timestamp >= '2026-11-20T08:01:00Z' AND timestamp < TIMESTAMPTZ '2026-11-20 08:02:00+00'",
    rows: [[60]],
  },
  {
    name: "interval arithmetic",
    sql: "SELECT count(*) FROM logs WHERE timestamp > (SELECT max(timestamp) FROM logs) - INTERVAL 1 MINUTE",
    rows: [[60]],
  },
  {
    name: "BETWEEN",
    sql: "SELECT count(*) FROM logs WHERE (attributes->>'duration')::int BETWEEN 10 AND 19",
    rows: [[10]],
  },
  {
    name: "attributes without parentheses",
    sql: "SELECT count(*) FROM logs WHERE level = 'info' AND attributes->>'user' = 'u0' AND NOT attributes->'status' = '400' AND attributes->>'status' LIKE '2%'",
    rows: [[8]],
  },
  { name: "ILIKE", sql: "SELECT count(*) FROM logs WHERE message ILIKE '%ITEMS/3 %'", rows: [[100]] },
  {
    name: "LIKE with escape",
    sql: "SELECT 'a%b' LIKE 'a!%b' ESCAPE '!', 'axb' LIKE 'a!%b' ESCAPE '!'",
    rows: [[true, false]],
  },
  {
    name: "regular expression",
    sql: "SELECT regexp_extract(message, 'items/(\\d+)', 1) AS item, count(*) FROM logs WHERE regexp_matches(message, 'took 1\\d\\dms') GROUP BY ALL ORDER BY ALL LIMIT 2",
    rows: [
      ["0", 10],
      ["1", 10],
    ],
  },
  {
    name: "regexp_replace",
    sql: "SELECT DISTINCT regexp_replace(message, '\\d+', '#', 'g') FROM logs",
    rows: [["GET /api/items/# took #ms"]],
  },
  {
    name: "group and having",
    sql: "SELECT service, count(*) AS n FROM logs GROUP BY service HAVING n > 333 ORDER BY n DESC",
    rows: [["api", 334]],
  },
  {
    name: "FILTER",
    sql: "SELECT count(*) FILTER (WHERE level = 'error'), count(*) FILTER (level = 'warn') FROM logs",
    rows: [[250, 250]],
  },
  {
    name: "CASE",
    sql: "SELECT CASE WHEN severity >= 17 THEN 'bad' WHEN severity >= 13 THEN 'hm' ELSE 'fine' END AS k, count(*) FROM logs GROUP BY 1 ORDER BY 1",
    rows: [
      ["bad", 250],
      ["fine", 500],
      ["hm", 250],
    ],
  },
  {
    name: "date_trunc",
    sql: "SELECT date_trunc('minute', timestamp) AS m, count(*) FROM logs GROUP BY m ORDER BY m LIMIT 2",
    rows: [
      ["2026-11-20T08:00:00Z", 60],
      ["2026-11-20T08:01:00Z", 60],
    ],
  },
  {
    name: "time_bucket",
    sql: "SELECT time_bucket(INTERVAL '5 minutes', timestamp) AS b, count(*) FROM logs GROUP BY b ORDER BY b",
    rows: [
      ["2026-11-20T08:00:00Z", 300],
      ["2026-11-20T08:05:00Z", 300],
      ["2026-11-20T08:10:00Z", 300],
      ["2026-11-20T08:15:00Z", 100],
    ],
  },
  {
    name: "gaps filled",
    sql: "SELECT count(*), count(l.n) FROM generate_series(TIMESTAMPTZ '2026-11-20 08:00:00+00', TIMESTAMPTZ '2026-11-20 08:59:00+00', INTERVAL 1 MINUTE) s(m) LEFT JOIN (SELECT date_trunc('minute', timestamp) AS m, count(*) AS n FROM logs GROUP BY 1) l USING (m)",
    rows: [[60, 17]],
  },
  {
    name: "extract",
    sql: "SELECT extract(hour FROM timestamp) AS h, extract('minute' FROM max(timestamp)) FROM logs GROUP BY h",
    rows: [[8, 16]],
  },
  {
    name: "strftime and strptime",
    sql: "SELECT strftime(min(timestamp), '%Y/%m/%d %H'), strptime('20.11.2026', '%d.%m.%Y') FROM logs",
    rows: [["2026/11/20 08", "2026-11-20T00:00:00Z"]],
  },
  { name: "time zone", sql: "SELECT hour(min(timestamp) AT TIME ZONE 'Asia/Tokyo') FROM logs", rows: [[17]] },
  {
    name: "epoch",
    sql: "SELECT epoch_ms(min(timestamp)), (epoch(max(timestamp)) - epoch(min(timestamp)))::int FROM logs",
    rows: [[1795161600000, 999]],
  },
  {
    name: "quantiles",
    sql: "SELECT quantile_cont((attributes->>'duration')::double, [0.5, 0.9]), median(severity) FROM logs",
    rows: [[[499.5, 899.1], 11]],
  },
  {
    name: "ordered-set aggregate",
    sql: "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM metrics",
    rows: [[49.75]],
  },
  {
    name: "approximate quantile and distinct",
    sql: "SELECT round(approx_quantile(value, 0.5)), approx_count_distinct(name) FROM metrics",
    rows: [[50, 2]],
  },
  {
    name: "JSON operators",
    sql: "SELECT attributes->>'user', attributes->'$.nested.list[1]', attributes->>'$.nested.list[0]' FROM logs WHERE attributes->>'duration' = '12'",
    rows: [["u5", 13, "12"]],
  },
  {
    name: "JSON key with a dot",
    sql: "SELECT count(*) FROM logs WHERE (attributes->>'$.\"dotted.key\"')::boolean",
    rows: [[1000]],
  },
  {
    name: "JSON functions",
    sql: "SELECT json_extract_string(attributes, '$.user'), json_type(attributes, '$.status'), json_keys(attributes)[1], json_array_length(attributes, '$.nested.list') FROM logs ORDER BY timestamp LIMIT 1",
    rows: [["u0", "UBIGINT", "status", 2]],
  },
  {
    name: "JSON as it is",
    sql: "SELECT attributes FROM logs ORDER BY timestamp LIMIT 1",
    rows: [[{ status: 200, user: "u0", duration: 0, nested: { list: [0, 1] }, "dotted.key": true }]],
  },
  {
    name: "JSON made",
    sql: "SELECT json_object('level', level, 'n', count(*)) FROM logs WHERE level = 'info' GROUP BY level",
    rows: [[{ level: "info", n: 250 }]],
  },
  {
    name: "json_each",
    sql: "SELECT k.key, count(*) FROM logs, json_each(attributes) k GROUP BY 1 ORDER BY 1 LIMIT 2",
    rows: [
      ["dotted.key", 1000],
      ["duration", 1000],
    ],
  },
  { name: "unnest", sql: "SELECT unnest(string_split('a,b,c', ','))", rows: [["a"], ["b"], ["c"]] },
  {
    name: "unnest in FROM",
    sql: "SELECT sum(x) FROM logs, unnest((attributes->'$.nested.list')::int[]) u(x) WHERE (attributes->>'duration')::int < 3",
    rows: [[9]],
  },
  {
    name: "map key",
    sql: "SELECT tags['host'] AS host, avg(value) FROM metrics WHERE name = 'cpu' GROUP BY host ORDER BY host",
    rows: [
      ["h0", 49],
      ["h2", 50],
    ],
  },
  {
    name: "map functions",
    sql: "SELECT map_keys(tags), cardinality(tags), map_contains(tags, 'zone'), tags FROM metrics ORDER BY timestamp LIMIT 1",
    rows: [[["host", "zone"], 2, true, { host: "h0", zone: "a" }]],
  },
  {
    name: "common table expressions",
    sql: "WITH bad AS (SELECT * FROM logs WHERE level = 'error'), by_user AS (SELECT attributes->>'user' AS u, count(*) AS n FROM bad GROUP BY u) SELECT u, n FROM by_user ORDER BY n DESC, u LIMIT 2",
    rows: [
      ["u0", 36],
      ["u2", 36],
    ],
  },
  { name: "materialized", sql: "WITH x AS MATERIALIZED (SELECT 1 AS a) SELECT x.a + y.a FROM x, x AS y", rows: [[2]] },
  {
    name: "recursive",
    sql: "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT sum(n) FROM t",
    rows: [[55]],
  },
  {
    name: "a common table expression named as the table",
    sql: "WITH logs AS (SELECT * FROM logs WHERE level = 'warn') SELECT count(*) FROM logs",
    rows: [[250]],
  },
  {
    name: "window",
    sql: "SELECT d, d - lag(d) OVER (ORDER BY d), sum(d) OVER (ORDER BY d ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (SELECT (attributes->>'duration')::int AS d FROM logs) ORDER BY d LIMIT 2",
    rows: [
      [0, null, 0],
      [1, 1, 1],
    ],
  },
  {
    name: "named window",
    sql: "SELECT max(n) FROM (SELECT row_number() OVER w AS n FROM logs WINDOW w AS (PARTITION BY service ORDER BY timestamp))",
    rows: [[334]],
  },
  {
    name: "QUALIFY",
    sql: "SELECT service, message FROM logs QUALIFY row_number() OVER (PARTITION BY service ORDER BY timestamp DESC) = 1 ORDER BY service",
    rows: [
      ["api", "GET /api/items/9 took 999ms"],
      ["db", "GET /api/items/8 took 998ms"],
      ["web", "GET /api/items/7 took 997ms"],
    ],
  },
  {
    name: "DISTINCT ON",
    sql: "SELECT DISTINCT ON (level) level, span_id FROM logs ORDER BY level, timestamp",
    rows: [
      ["debug", "0000000000000003"],
      ["error", "0000000000000002"],
      ["info", "0000000000000000"],
      ["warn", "0000000000000001"],
    ],
  },
  {
    name: "join",
    sql: "SELECT count(*) FROM logs JOIN traces USING (trace_id) WHERE traces.status = 'error'",
    rows: [[100]],
  },
  {
    name: "anti join",
    sql: "SELECT count(*) FROM traces ANTI JOIN (SELECT * FROM logs WHERE level = 'error') e USING (trace_id)",
    rows: [[25]],
  },
  {
    name: "ASOF join",
    sql: "SELECT l.message, m.value FROM logs l ASOF JOIN (SELECT * FROM metrics WHERE name = 'cpu') m ON l.timestamp >= m.timestamp ORDER BY l.timestamp LIMIT 1 OFFSET 25",
    rows: [["GET /api/items/5 took 25ms", 2]],
  },
  {
    name: "EXISTS",
    sql: "SELECT count(*) FROM traces t WHERE EXISTS (SELECT 1 FROM logs l WHERE l.trace_id = t.trace_id AND l.level = 'error')",
    rows: [[25]],
  },
  {
    name: "IN a query",
    sql: "SELECT count(*) FROM logs WHERE trace_id IN (SELECT trace_id FROM traces WHERE duration_ms > 480)",
    rows: [[20]],
  },
  {
    name: "lateral",
    sql: "SELECT t.name, x.n FROM (SELECT DISTINCT name FROM traces) t, LATERAL (SELECT count(*) AS n FROM traces i WHERE i.name = t.name) x ORDER BY 1",
    rows: [
      ["GET /api", 25],
      ["query", 25],
    ],
  },
  {
    name: "set operations",
    sql: "(SELECT level FROM logs INTERSECT SELECT 'info') UNION ALL (SELECT 'x' EXCEPT SELECT level FROM logs) ORDER BY 1",
    rows: [["info"], ["x"]],
  },
  {
    name: "PIVOT with values",
    sql: "PIVOT logs ON level IN ('error', 'warn') USING count(*) GROUP BY service ORDER BY service",
    rows: [
      ["api", 83, 83],
      ["db", 84, 83],
      ["web", 83, 84],
    ],
  },
  {
    name: "UNPIVOT",
    sql: "UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME k VALUE v",
    rows: [
      ["a", 1],
      ["b", 2],
    ],
  },
  {
    name: "GROUPING SETS",
    sql: "SELECT service, level, count(*), grouping(service) FROM logs WHERE level = 'error' GROUP BY GROUPING SETS ((service), (level)) ORDER BY ALL",
    rows: [
      ["api", null, 83, 0],
      ["db", null, 84, 0],
      ["web", null, 83, 0],
      [null, "error", 250, 1],
    ],
  },
  {
    name: "ROLLUP",
    sql: "SELECT level, count(*) FROM logs GROUP BY ROLLUP (level) ORDER BY 2 DESC, 1 LIMIT 2",
    rows: [
      [null, 1000],
      ["debug", 250],
    ],
  },
  {
    name: "lambdas",
    sql: "SELECT list_transform([1, 2, 3], x -> x * 2), list_filter([1, 2, 3], lambda x: x > 1), [x + 1 FOR x IN [1, 2] IF x > 1], list_reduce([1, 2, 3], lambda a, b: a + b)",
    rows: [[[2, 4, 6], [2, 3], [3], 6]],
  },
  {
    name: "list aggregates",
    sql: "SELECT list_sum([1, 2]), list_aggregate([3, 1], 'max'), list_sort(list(DISTINCT level)) FROM logs",
    rows: [[3, 3, ["debug", "error", "info", "warn"]]],
  },
  {
    name: "aggregates by value",
    sql: "SELECT arg_max(message, timestamp), mode(name), histogram(status) FROM traces, (SELECT message FROM logs LIMIT 1) GROUP BY ALL HAVING false",
    rows: [],
  },
  {
    name: "arg_max and first",
    sql: "SELECT arg_max(span_id, duration_ms), first(name ORDER BY timestamp), any_value(kind), string_agg(DISTINCT service, ',' ORDER BY service) FROM traces",
    rows: [["0000000000000031", "GET /api", "server", "api,db,web"]],
  },
  { name: "histogram", sql: "SELECT histogram(status) FROM traces", rows: [[{ error: 5, ok: 45 }]] },
  {
    name: "statistics",
    sql: "SELECT round(stddev_samp(value), 3), round(corr(value, value), 1), round(regr_slope(value, epoch(timestamp)), 2) FROM metrics",
    rows: [[28.94, 1, 0.1]],
  },
  {
    name: "text functions",
    sql: "SELECT upper(level), left(message, 3), split_part(message, ' ', 2), length(message), lpad('7', 3, '0'), concat_ws('-', 'a', 'b'), replace('aXc', 'X', 'b'), trim('  x '), 'a' || 'b', format('{}-{}', 1, 'x'), printf('%05.1f', 3.14159) FROM logs ORDER BY timestamp LIMIT 1",
    rows: [["INFO", "GET", "/api/items/0", 25, "007", "a-b", "abc", "x", "ab", "1-x", "003.1"]],
  },
  { name: "method chaining", sql: "SELECT DISTINCT kind.upper().replace('E', '_') FROM traces", rows: [["S_RV_R"]] },
  {
    name: "casts",
    sql: "SELECT '1'::int, TRY_CAST('x' AS int), 1.5::decimal(10, 2), '{\"a\": 1}'::json, '2026-01-01'::date, true::int, 'x'::varchar",
    rows: [[1, null, 1.5, { a: 1 }, "2026-01-01", 1, "x"]],
  },
  {
    name: "TRY",
    sql: "SELECT TRY(log(0)), coalesce(NULL, 2), nullif(1, 1), ifnull(NULL, 3), greatest(1, 2), if(true, 1, 2)",
    rows: [[null, 2, null, 3, 2, 1]],
  },
  {
    name: "COLUMNS",
    sql: "SELECT min(COLUMNS('^(value|timestamp)$')) FROM metrics",
    rows: [["2026-11-20T08:00:00.000456Z", 0]],
  },
  {
    name: "EXCLUDE and REPLACE",
    sql: "SELECT * EXCLUDE (timestamp, tags, service, project_id) REPLACE (value * 2 AS value) FROM metrics ORDER BY timestamp LIMIT 1 OFFSET 3",
    rows: [["memory", 3]],
  },
  {
    name: "VALUES",
    sql: "VALUES (1, 'a'), (2, 'b')",
    rows: [
      [1, "a"],
      [2, "b"],
    ],
  },
  {
    name: "join with VALUES",
    sql: "SELECT v.label, count(*) FROM logs JOIN (VALUES ('error', 'E'), ('warn', 'W')) v(level, label) USING (level) GROUP BY 1 ORDER BY 1",
    rows: [
      ["E", 250],
      ["W", 250],
    ],
  },
  { name: "range", sql: "SELECT sum(range) FROM range(5)", rows: [[10]] },
  { name: "sample", sql: "SELECT count(*) FROM (SELECT * FROM logs USING SAMPLE 10 ROWS)", rows: [[10]] },
  { name: "TABLESAMPLE", sql: "SELECT count(*) FROM logs TABLESAMPLE reservoir(5 ROWS)", rows: [[5]] },
  {
    name: "DESCRIBE",
    sql: "DESCRIBE SELECT value, tags FROM metrics",
    rows: [
      ["value", "DOUBLE", "YES", null, null, null],
      ["tags", "MAP(VARCHAR, VARCHAR)", "YES", null, null, null],
    ],
  },
  { name: "DESCRIBE in a query", sql: "SELECT count(*) FROM (DESCRIBE logs)", rows: [[10]] },
  {
    name: "SUMMARIZE",
    sql: "SELECT column_name, min, max, count FROM (SUMMARIZE metrics) WHERE column_name = 'value'",
    rows: [["value", "0.0", "99.5", 200]],
  },
  { name: "comments", sql: "/* dashboards add these */ SELECT 1 -- one\n;", rows: [[1]] },
  { name: "quoted names", sql: 'SELECT count(*) AS "how many" FROM "logs" WHERE "level" = \'info\'', rows: [[250]] },
  { name: "prefix alias", sql: "SELECT n: count(*) FROM logs", rows: [[1000]] },
  {
    name: "positional parameters",
    sql: "SELECT count(*) FROM logs WHERE level = ? AND (attributes->>'duration')::int < ?",
    parameters: ["error", 100],
    rows: [[25]],
  },
  {
    name: "a time as a parameter",
    sql: "SELECT count(*) FROM logs WHERE timestamp >= ? AND timestamp < ?",
    parameters: ["2026-11-20T08:10:00Z", "2026-11-20T08:11:00Z"],
    rows: [[60]],
  },
  { name: "numbered parameters", sql: "SELECT $2::int - $1::int", parameters: [1, 3], rows: [[2]] },
  {
    name: "named parameters",
    sql: "SELECT count(*) FROM logs WHERE timestamp >= $since::timestamptz AND level = $level",
    parameters: { level: "info", since: "2026-11-20T08:10:00Z" },
    rows: [[100]],
  },
  {
    name: "parameters of every type",
    sql: "SELECT $t, $n + 0.5, $i, $b, $z, $l",
    parameters: { t: "it's; DROP", n: 1.25, i: 7, b: true, z: null, l: 5_000_000_000 },
    rows: [["it's; DROP", 1.75, 7, true, null, 5_000_000_000]],
  },
  {
    name: "a parameter as limit",
    sql: "SELECT level FROM logs ORDER BY timestamp LIMIT ?",
    parameters: [1],
    rows: [["info"]],
  },
];

describe("normal queries", { concurrency: 1 }, () => {
  let open: TestEngine;
  before(async () => {
    open = await openTestEngine(FIXTURE);
  });
  after(async () => {
    await open.close();
  });

  for (const { name, sql, parameters = [], rows: expected } of CASES) {
    test(name, async () => {
      assert.deepEqual(await rows(open.engine, sql, { parameters }), expected);
    });
  }

  test("columns that the interface names", async () => {
    for (const table of ["logs", "metrics", "traces"]) {
      assert.equal((await rows(open.engine, `SELECT timestamp, project_id FROM ${table} LIMIT 1`)).length, 1);
    }
    assert.deepEqual(
      await rows(
        open.engine,
        "SELECT span_id, kind, status, duration_ms, attributes->>'attempt' FROM traces ORDER BY timestamp LIMIT 1",
      ),
      [["0000000000000000", "server", "error", 0, "0"]],
    );
  });
});
