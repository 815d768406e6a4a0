import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { openTestEngine, resultText, rows, type TestEngine } from "./testing/harness.ts";
import { QUERY_TABLES } from "./tables.ts";

const DOCS = new URL("../../../../../docs/reference/query.md", import.meta.url);
const EXAMPLE = /^\| `(SELECT [^`]+)` +\| `([^`]+)` +\|$/gm;

/** Addresses, networks, and whether the address is in the network. */
const NETWORKS: readonly (readonly [address: string, network: string, isIn: boolean | null])[] = [
  ["10.1.2.3", "10.0.0.0/8", true],
  ["11.1.2.3", "10.0.0.0/8", false],
  ["10.1.2.3", "10.1.2.3", true],
  ["192.168.1.130", "192.168.1.128/25", true],
  ["192.168.1.127", "192.168.1.128/25", false],
  ["10.0.0.1", "0.0.0.0/0", true],
  ["::1", "0.0.0.0/0", false],
  ["10.0.0.1", "::/0", false],
  ["2001:db8::1", "2001:db8::/32", true],
  ["2001:DB8:0:0:0:0:0:1", "2001:db8::/126", true],
  ["fe80::1", "fe80::/10", true],
  ["febf::1", "fe80::/10", true],
  ["fec0::1", "fe80::/10", false],
  ["::", "::/128", true],
  ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8/128", true],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0", true],
  ["64:ff9b::1.2.3.4", "64:ff9b::/96", true],
  ["::ffff:10.0.0.1", "10.0.0.0/8", true],
  ["10.0.0.1", "::ffff:10.0.0.0/104", true],
  ["x", "10.0.0.0/8", null],
  ["", "::/0", null],
  ["10.0.0.256", "10.0.0.0/8", null],
  ["010.0.0.1", "10.0.0.0/8", null],
  ["10.0.0.1", "10.0.0.0/33", null],
  ["10.0.0.1", "10.0.0.0/8/8", null],
  ["10.0.0.1", "10.0.0.0/", null],
  ["10.0.0.1", "/8", null],
  ["1::2::3", "::/0", null],
  ["1:::2", "::/0", null],
  ["1:2:3:4:5:6:7", "::/0", null],
  ["2001:db8::1%eth0", "::/0", null],
];

const SAMPLES =
  "(VALUES ('a', 5, 0), ('a', 9, 10), ('a', 2, 20), ('a', 2, 30), ('b', 1, 0), ('c', 7, 3), ('c', 8, 3)) AS x(s, v, t)";
const BUCKETS =
  "(VALUES ('0.1', 10), ('0.5', 30), ('1', 60), ('+Inf', 100), ('0.1', 10), ('0.5', 30), ('1', 60), ('+Inf', 100)) AS x(le, n)";

/** Statements with their expected answers. */
const CASES: readonly (readonly [sql: string, answer: readonly unknown[][]])[] = [
  [
    `SELECT s, increase(v, to_timestamp(t)), rate(v, to_timestamp(t)) FROM ${SAMPLES} GROUP BY s ORDER BY s`,
    [
      ["a", 6, 0.2],
      ["b", null, null],
      ["c", 1, null],
    ],
  ],
  ["SELECT increase(value, timestamp) >= 0 FROM metrics WHERE name = $1 HAVING rate(value, timestamp) IS NOT NULL", []],
  ...[
    [0.5, 0.8333333333333333],
    [0.99, 1],
    [0, 0],
    [0.05, 0.05],
    [1.5, "inf"],
    [-1, "-inf"],
    ["NULL", null],
  ].map(
    ([q, answer]) =>
      [`SELECT histogram_quantile(${q}, le, n)::VARCHAR FROM ${BUCKETS}`, [[answer]]] as [string, unknown[][]],
  ),
  [`SELECT histogram_quantile(0.5, le, n) FROM ${BUCKETS} WHERE le <> '+Inf'`, [[null]]],
  [`SELECT histogram_quantile(0.5, le, n) FROM ${BUCKETS} WHERE false`, [[null]]],
  [
    "SELECT width_bucket(-1, 0, 10, 5), width_bucket(10, 0, 10, 5), width_bucket(9.99, 0, 10, 5), width_bucket(3, 10, 0, 5), width_bucket(NULL, 0, 1, 2), width_bucket(1, 1, 1, 2), width_bucket(1, 0, 2, 0)",
    [[0, 6, 5, 4, null, null, null]],
  ],
  [
    "SELECT levenshtein(repeat('x', 257), 'x'), levenshtein(NULL, 'x'), levenshtein(repeat('x', 256), 'x')",
    [[null, null, 255]],
  ],
  [
    "SELECT bucket, count(x.t) FROM time_buckets('2026-11-20T08:00:30Z', '2026-11-20T08:03:00Z', INTERVAL '1 minute') LEFT JOIN (SELECT TIMESTAMPTZ '2026-11-20 08:01:05Z' AS t) x ON time_bucket('1 minute', x.t) = bucket GROUP BY bucket ORDER BY bucket",
    [
      ["2026-11-20T08:00:00Z", 0],
      ["2026-11-20T08:01:00Z", 1],
      ["2026-11-20T08:02:00Z", 0],
    ],
  ],
];

describe("additional functions", { concurrency: 1 }, () => {
  let open: TestEngine;
  before(async () => {
    open = await openTestEngine(FIXTURE);
  });
  after(() => open.close());

  test("each example of the documentation returns the documented result", async () => {
    const examples = [...(await readFile(DOCS, "utf8")).matchAll(EXAMPLE)];
    assert.ok(examples.length >= 10);
    for (const [, sql = "", answer] of examples)
      assert.equal(String((await rows(open.engine, sql))[0]?.[0]), answer, sql);
  });

  for (const [sql, answer] of CASES)
    test(sql.slice(0, 100), async () => {
      const parameters = sql.includes("$1") ? ["absent"] : [];
      assert.deepEqual(
        (await rows(open.engine, sql, { parameters })).map((row) => row.map(numbered)),
        answer.map((row) => row.map(numbered)),
      );
    });

  test("in_network accepts IPv4 and IPv6 addresses, and returns NULL for other text", async () => {
    const values = NETWORKS.map(([address, network]) => `('${address}', '${network}')`).join(", ");
    const found = await rows(open.engine, `SELECT a, n, in_network(a, n) FROM (VALUES ${values}) AS v(a, n)`);
    assert.deepEqual(found, NETWORKS);
    assert.deepEqual(await rows(open.engine, "SELECT in_network(NULL, '::/0'), in_network('::1', NULL)"), [
      [null, null],
    ]);
  });

  test("time_buckets accepts parameters, and refuses an invalid step", async () => {
    const sql = "SELECT count(*) FROM time_buckets($1, $2, $3)";
    const parameters = ["2026-11-20T08:00:00Z", "2026-11-20T09:00:00Z", "1 minute"];
    assert.deepEqual(await rows(open.engine, sql, { parameters }), [[60]]);
    await assert.rejects(rows(open.engine, sql, { parameters: [...parameters.slice(0, 2), "0 minutes"] }), Problem);
  });

  test("the functions work with tables, conditions on times and rewritten statements", async () => {
    const sql =
      "SELECT date_trunc('hour', timestamp) AS h, increase(severity, timestamp) AS n FROM logs WHERE timestamp > '2020-01-01' AND levenshtein(level, 'inf') < 9 GROUP BY h ORDER BY h DESC LIMIT 1";
    assert.equal((await rows(open.engine, sql)).length, 1);
  });

  test("EXPLAIN returns rows in any format, and shows no path", async () => {
    for (const sql of [
      "EXPLAIN SELECT count(*) FROM logs",
      "-- why\n explain analyze SELECT count(*) FROM logs WHERE severity = $1",
    ]) {
      const parameters = sql.includes("$1") ? [9] : [];
      const found = (await rows(open.engine, sql, { parameters })).flat().map(String);
      assert.ok(found.length > 1 && found.some((line) => /SCAN|PARQUET|READ/i.test(line)), found.join("\n"));
      assert.ok(!found.join("\n").includes(open.directory));
    }
    assert.match(await resultText(open.engine, "EXPLAIN SELECT 1", { format: "csv" }), /^plan\r?\n/);
    await assert.rejects(
      rows(open.engine, "EXPLAIN SELECT nope FROM logs"),
      (error: Problem) => error.options.position?.column === 16,
    );
  });

  test("PIVOT without values finds them, and equals PIVOT with values", async () => {
    const levels = "('debug', 'error', 'info', 'warn')";
    for (const [dynamic, listed] of [
      ["PIVOT logs ON level USING count(*)", `PIVOT logs ON level IN ${levels} USING count(*)`],
      [
        "pivot logs on level using count(*) group by service order by service",
        `PIVOT logs ON level IN ${levels} USING count(*) GROUP BY service ORDER BY service`,
      ],
      [
        "WITH x AS (SELECT * FROM logs WHERE level <> 'warn') FROM (PIVOT x ON level || '/' USING sum(severity) GROUP BY service) ORDER BY ALL -- end",
        "SELECT * FROM (PIVOT (FROM logs WHERE level <> 'warn') ON level || '/' IN ('debug/', 'error/', 'info/') USING sum(severity) GROUP BY service) ORDER BY ALL",
      ],
      [
        "PIVOT (SELECT level AS n, level FROM logs) ON n, level IN ('info') USING count(*)",
        "PIVOT (SELECT level AS n, level FROM logs) ON n IN ('debug', 'error', 'info', 'warn'), level IN ('info') USING count(*)",
      ],
    ] as const)
      assert.deepEqual(await sortedRows(dynamic), await sortedRows(listed), dynamic);
    const some = "PIVOT (SELECT level FROM logs WHERE level = $1) ON level USING count(*)";
    assert.deepEqual(await rowObjects(some, ["info"]), [{ info: 250 }]);
    assert.deepEqual(await rowObjects(some, ["absent"]), [{ "no values": 0 }]);
    await assert.rejects(
      rows(open.engine, "PIVOT (SELECT range AS n FROM range(501)) ON n USING count(*)"),
      /500 values/,
    );
    await assert.rejects(
      rows(open.engine, "PIVOT logs ON level USING cout(*)"),
      (error: Problem) => error.options.position?.column === 27,
    );
  });

  /** Sorts the rows, which have no order without ORDER BY. */
  async function sortedRows(sql: string): Promise<string[]> {
    return ((await rowObjects(sql)) as unknown[]).map((row) => JSON.stringify(row)).toSorted();
  }

  async function rowObjects(sql: string, parameters: readonly string[] = []): Promise<unknown> {
    return (JSON.parse(await resultText(open.engine, sql, { parameters })) as { rows: unknown }).rows;
  }

  test("SHOW TABLES lists our tables and nothing else", async () => {
    const names = (await rows(open.engine, "show tables;")).flat();
    assert.deepEqual(names, QUERY_TABLES.map(({ name }) => name).toSorted());
  });
});

/** Converts whole numbers of 64 bits, which are numbers or texts. */
function numbered(value: unknown): unknown {
  return typeof value === "string" && /^-?[0-9.]+$/.test(value) ? Number(value) : value;
}
