import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import type { QueryRequest } from "../types.ts";
import { FIXTURE } from "./testing/fixture.ts";
import {
  openTestEngine,
  ORG,
  OTHER_MARK,
  OTHER_ORG,
  request,
  resultText,
  rows,
  until,
  type TestEngine,
} from "./testing/harness.ts";

const MIB = 1024 * 1024;

describe("the query engine", { concurrency: 1 }, () => {
  let open: TestEngine;
  before(async () => {
    open = await openTestEngine(FIXTURE, {
      concurrentPerOrgMax: 2,
      concurrentPerActorMax: 2,
      queuePerOrgMax: 1,
      queueTimeoutMs: 300,
      stallTimeoutMs: 500,
    });
  });
  after(async () => {
    await open.close();
  });

  async function refused(sql: string, overrides: Partial<QueryRequest> = {}): Promise<Problem> {
    try {
      await resultText(open.engine, sql, overrides);
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
      return error;
    }
    return assert.fail("it was answered");
  }

  /** Asserts that every slot and snapshot is free, and that the next query works. */
  async function assertFree(): Promise<void> {
    await until(() => open.engine.running() === 0 && open.held() === 0);
    assert.deepEqual(await rows(open.engine, "SELECT count(*) FROM logs"), [[1000]]);
    await until(() => open.held() === 0);
  }

  describe("results", () => {
    test("JSON", async () => {
      const run = await open.engine.query(
        request("SELECT level, count(*) AS n FROM logs GROUP BY 1 ORDER BY 1 LIMIT 1"),
      );
      assert.equal(run.contentType, "application/json");
      const { statistics, ...result } = JSON.parse(await text(run.body)) as Record<string, unknown>;
      assert.deepEqual(result, {
        columns: [
          { name: "level", type: "VARCHAR" },
          { name: "n", type: "BIGINT" },
        ],
        rows: [{ level: "debug", n: 250 }],
        row_count: 1,
        truncated: false,
      });
      assert.equal(typeof (statistics as { elapsed_ms: number }).elapsed_ms, "number");
    });

    test("JSON without a row", async () => {
      const result = JSON.parse(await resultText(open.engine, "SELECT level FROM logs WHERE false")) as object;
      assert.partialDeepStrictEqual(result, { columns: [{ name: "level", type: "VARCHAR" }], rows: [], row_count: 0 });
    });

    test("NDJSON", async () => {
      const run = await open.engine.query(
        request("SELECT range AS n, 'a\nb' AS t FROM range(2)", { format: "ndjson" }),
      );
      assert.equal(run.contentType, "application/x-ndjson");
      assert.equal(await text(run.body), '{"n":0,"t":"a\\nb"}\n{"n":1,"t":"a\\nb"}\n');
      assert.equal(await resultText(open.engine, "SELECT 1 WHERE false", { format: "ndjson" }), "");
    });

    test("CSV", async () => {
      const sql = `SELECT 'a,"b"' AS "x,y", NULL AS n, '' AS e, 1.50::decimal(4,2) AS d, 'nan'::double AS f, [1, 2] AS l, TIMESTAMPTZ '2026-01-01 00:00:00+00' AS t`;
      const run = await open.engine.query(request(sql, { format: "csv" }));
      assert.match(run.contentType, /^text\/csv;/);
      assert.equal(
        await text(run.body),
        '"x,y",n,e,d,f,l,t\r\n"a,""b""",,"",1.50,NaN,"[1,2]",2026-01-01T00:00:00Z\r\n',
      );
    });

    test("columns of the same name are made distinct", async () => {
      assert.equal(
        await resultText(open.engine, "SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a", { format: "ndjson" }),
        '{"a":1,"a_2":2,"a_1":3,"a_3":4}\n',
      );
    });

    const values: readonly (readonly [string, unknown])[] = [
      ["9007199254740991::bigint", 9007199254740991],
      ["9007199254740993::bigint", "9007199254740993"],
      ["-9007199254740993::bigint", "-9007199254740993"],
      ["18446744073709551615::ubigint", "18446744073709551615"],
      ["170141183460469231731687303715884105727::hugeint", "170141183460469231731687303715884105727"],
      ["1234.50::decimal(10,2)", 1234.5],
      ["12345678901234567890.12::decimal(30,2)", "12345678901234567890.12"],
      ["'nan'::double", null],
      ["'-infinity'::double", null],
      ["0.1::float", 0.1],
      ["1e300::double", 1e300],
      ["-0.0::double", 0],
      ["TIMESTAMPTZ '2026-11-20 08:00:00.123456+00'", "2026-11-20T08:00:00.123456Z"],
      ["TIMESTAMPTZ '2026-11-20 10:00:00.5+02'", "2026-11-20T08:00:00.500Z"],
      ["TIMESTAMP '1969-12-31 23:59:59.999999'", "1969-12-31T23:59:59.999999Z"],
      ["TIMESTAMP_NS '2026-11-20 08:00:00.123456789'", "2026-11-20T08:00:00.123456789Z"],
      ["TIMESTAMP_S '2026-11-20 08:00:00'", "2026-11-20T08:00:00Z"],
      ["'infinity'::timestamp", "infinity"],
      ["DATE '2026-02-28'", "2026-02-28"],
      ["TIME '08:00:00.5'", "08:00:00.5"],
      ["INTERVAL '1 day 2 hours'", "1 day 02:00:00"],
      ["'00000000-0000-0000-0000-000000000001'::uuid", "00000000-0000-0000-0000-000000000001"],
      ["'\\x00\\xFF'::blob", "AP8="],
      ["'a'::enum('a', 'b')", "a"],
      ["{'a': 1, 'b': {'c': [1, NULL]}}", { a: 1, b: { c: [1, null] } }],
      ["map {'x': 1, 'y': NULL}", { x: 1, y: null }],
      ["map {1: 'a'}", { "1": "a" }],
      ["[TIMESTAMP '2026-01-01', NULL]", ["2026-01-01T00:00:00Z", null]],
      ["[1, 2]::int[2]", [1, 2]],
      ['\'{"a":\n[1, {"b": null}]}\'::json', { a: [1, { b: null }] }],
      ["{'j': '[1]'::json}", { j: [1] }],
      ['\'{"a": NaN, "b": [1,]}\'::json', '{"a": NaN, "b": [1,]}'],
      ["'null'::json", null],
      ["'\"\\u2028 \u{1F600}\"'::json", "\u2028 \u{1F600}"],
      ["true", true],
      ["NULL", null],
      ["chr(1) || chr(9) || '\"\\'", '\u0001\t"\\'],
    ];
    for (const [sql, expected] of values) {
      test(`the value ${sql}`, async () => {
        assert.deepEqual(await rows(open.engine, `SELECT ${sql}`), [[expected]]);
        const line = await resultText(open.engine, `SELECT ${sql} AS v`, { format: "ndjson" });
        assert.deepEqual(JSON.parse(line), { v: expected });
        assert.equal(line.split("\n").length, 2, "one line");
        const csv = await resultText(open.engine, `SELECT ${sql} AS v`, { format: "csv" });
        assert.match(csv, /^v\r\n/);
      });
    }
  });

  describe("visible rows", () => {
    const count = "SELECT count(*), count(DISTINCT project_id) FROM logs";
    test("everything", async () => {
      assert.deepEqual(await rows(open.engine, count), [[1000, 2]]);
    });
    test("one project", async () => {
      assert.deepEqual(await rows(open.engine, count, { visible: { projectIds: ["proj_a"], unassigned: false } }), [
        [334, 1],
      ]);
    });
    test("rows of one project and rows without a project", async () => {
      assert.deepEqual(await rows(open.engine, count, { visible: { projectIds: ["proj_a"], unassigned: true } }), [
        [667, 1],
      ]);
    });
    test("the visible projects are read when the files are ready, not when the query began to wait", async () => {
      let held = 0;
      const visible = async (): Promise<{ projectIds: string[]; unassigned: boolean }> => {
        held = open.held();
        return { projectIds: ["proj_a"], unassigned: false };
      };
      assert.deepEqual(await rows(open.engine, count, { visible }), [[334, 1]]);
      assert.ok(held > 0, "the snapshot was taken first");
      const failing = (): Promise<never> => Promise.reject(new Error("the records are away"));
      await assert.rejects(rows(open.engine, count, { visible: failing }), /records are away/);
      await until(() => open.held() === 0);
    });
    test("no project", async () => {
      assert.deepEqual(await rows(open.engine, count, { visible: { projectIds: [], unassigned: false } }), [[0, 0]]);
    });
    test("a project whose name could be SQL", async () => {
      assert.deepEqual(
        await rows(open.engine, count, {
          visible: { projectIds: ["x') OR ('1'='1", "'; DROP VIEW logs; --"], unassigned: false },
        }),
        [[0, 0]],
      );
    });
    test("each organization gets its own rows, concurrently and in turn", async () => {
      const ask = (orgId: string): Promise<unknown[][]> =>
        rows(open.engine, "SELECT count(*), min(message) FROM logs", { orgId });
      for (let round = 0; round < 3; round++) {
        const [own, other] = await Promise.all([ask(ORG), ask(OTHER_ORG)]);
        assert.deepEqual(own, [[1000, "GET /api/items/0 took 0ms"]]);
        assert.deepEqual(other, [[1, OTHER_MARK]]);
      }
    });
    test("a table without files has its columns", async () => {
      const { columns, rows: none } = JSON.parse(
        await resultText(open.engine, "SELECT * FROM metrics", { orgId: OTHER_ORG }),
      ) as { columns: { name: string; type: string }[]; rows: [] };
      assert.deepEqual(none, []);
      assert.deepEqual(
        columns.map(({ name }) => name),
        ["timestamp", "name", "value", "tags", "service", "project_id"],
      );
      assert.equal(columns[3]?.type, "MAP(VARCHAR, VARCHAR)");
    });
  });

  describe("errors", () => {
    const cases: readonly (readonly [string, ProblemCode, RegExp])[] = [
      ["SELEC 1", "invalid_sql", /syntax error at or near "SELEC"; did you mean SELECT\? \(at line 1, column 1\)/],
      ["SELECT FROM", "invalid_sql", /syntax error/],
      ["SELECT messag FROM logs", "invalid_sql", /"messag" not found.*"message"/s],
      ["SELECT levl(1)", "invalid_sql", /there is no function levl/],
      ["SELECT 1 + DATE '2026-01-01' + 'x'::json", "invalid_sql", /explicit type casts/],
      ["SELECT message::int FROM logs", "query_failed", /Could not convert string 'GET/],
      ["SELECT (SELECT level FROM logs)", "query_failed", /More than one row returned by a subquery(?!.*SET)/s],
      ["SELECT * FROM log", "invalid_sql", /there is no table "log"; did you mean logs\?/],
    ];
    for (const [sql, code, message] of cases) {
      test(sql, async () => {
        const problem = await refused(sql);
        assert.equal(problem.code, code, problem.message);
        assert.match(problem.message, message);
        assert.doesNotMatch(problem.message, /exception_type|LINE \d|\/tmp\//);
      });
    }

    test("the error does not describe a damaged file to the caller", async () => {
      const broken = await openTestEngine({ logs: { hot: [{ timestamp: "not a time", level: "x" }] } });
      try {
        await assert.rejects(
          resultText(broken.engine, "SELECT * FROM logs"),
          (error: Problem) => !error.message.includes(broken.directory) && error.message.length > 10,
        );
      } finally {
        await broken.close();
      }
    });
  });

  describe("parameters that do not fit", () => {
    const cases: readonly (readonly [string, QueryRequest["parameters"], RegExp])[] = [
      ["SELECT ?, ?", [1], /has 2 parameters, but 1 values/],
      ["SELECT 1", [1], /has 0 parameters, but 1 values/],
      ["SELECT $a", {}, /parameter \$a, but no value/],
      ["SELECT $a", { a: 1, b: 2 }, /sent for \$b/],
      ["SELECT $a", [1], /as an object/],
      ["SELECT ?", { a: 1 }, /parameter \$1, but no value/],
    ];
    for (const [sql, parameters, message] of cases) {
      test(`${sql} with ${JSON.stringify(parameters)}`, async () => {
        const problem = await refused(sql, { parameters });
        assert.equal(problem.code, "invalid_parameter");
        assert.match(problem.message, message);
      });
    }
  });

  describe("limits", () => {
    test("rows at the limit and one past it", async () => {
      assert.equal((await rows(open.engine, "SELECT * FROM range(10)", { rowsMax: 10 })).length, 10);
      const problem = await refused("SELECT * FROM range(11)", { rowsMax: 10 });
      assert.equal(problem.code, "query_too_large");
      const cut = JSON.parse(
        await resultText(open.engine, "SELECT * FROM range(11)", { rowsMax: 10, truncate: true }),
      ) as object;
      assert.partialDeepStrictEqual(cut, { row_count: 10, truncated: true });
      const whole = JSON.parse(
        await resultText(open.engine, "SELECT * FROM range(10)", { rowsMax: 10, truncate: true }),
      ) as object;
      assert.partialDeepStrictEqual(whole, { row_count: 10, truncated: false });
    });

    test("time", async () => {
      const startedMs = performance.now();
      const problem = await refused(
        "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3",
        { timeoutMs: 200 },
      );
      assert.equal(problem.code, "query_timeout");
      assert.ok(performance.now() - startedMs < 40_000);
      await assertFree();
    });

    test("memory", async () => {
      const problem = await refused("SELECT list(md5(range::varchar)) FROM range(20000000)", {
        memoryBytesMax: 64 * MIB,
      });
      assert.equal(problem.code, "query_memory");
      await assertFree();
    });

    test("columns", async () => {
      const list = (count: number): string => `SELECT ${Array.from({ length: count }, (_, i) => i).join(",")}`;
      assert.equal((await rows(open.engine, list(1000)))[0]?.length, 1000);
      assert.equal((await refused(list(1001))).code, "query_too_large");
    });

    test("the limit of a statement's length", async () => {
      const statement = (bytes: number): string => `SELECT 1 -- ${"x".repeat(bytes - 12)}`;
      assert.deepEqual(await rows(open.engine, statement(65_536)), [[1]]);
      assert.equal((await refused(statement(65_537))).code, "sql_not_allowed");
    });

    test("a row that is too long", async () => {
      assert.equal((await refused("SELECT list(repeat('x', 10000)) FROM range(2000)")).code, "query_too_large");
    });

    test("concurrent queries of one organization: two run, one waits, one more is refused", async () => {
      const slow = (signal: AbortSignal): Promise<string> =>
        resultText(
          open.engine,
          "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3",
          { signal },
        );
      const stop = new AbortController();
      const two = Promise.allSettled([slow(stop.signal), slow(stop.signal)]);
      await until(() => open.engine.running() === 2);
      const waiting = refused("SELECT 1");
      const problem = await refused("SELECT 1");
      assert.equal(problem.code, "rate_limited");
      assert.ok((problem.options.retryAfterS ?? 0) > 0);
      assert.equal((await waiting).code, "rate_limited", "refused after the longest wait");
      assert.deepEqual(
        await rows(open.engine, "SELECT count(*) FROM logs", { orgId: OTHER_ORG }),
        [[1]],
        "other organizations do not wait",
      );
      stop.abort();
      await two;
      await assertFree();
    });

    test("a waiting query gets the slot that becomes free", async () => {
      const stop = new AbortController();
      const slow = Promise.allSettled(
        [1, 2].map(() =>
          resultText(
            open.engine,
            "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3",
            { signal: stop.signal },
          ),
        ),
      );
      await until(() => open.engine.running() === 2);
      const waiting = rows(open.engine, "SELECT count(*) FROM logs");
      stop.abort();
      assert.deepEqual(await waiting, [[1000]]);
      await slow;
      await assertFree();
    });
  });

  test("an error within the first megabyte is a plain error response, in every format", async () => {
    const sql =
      "SELECT CASE WHEN range = 5000 THEN ('no number ' || range)::int END AS n, repeat('x', 100) FROM range(100000)";
    for (const format of ["json", "ndjson", "csv"] as const) {
      const problem = await refused(sql, { format, rowsMax: 200_000 });
      assert.equal(problem.code, "query_failed");
      assert.match(problem.message, /no number 5000/);
    }
  });

  test("the limit of bytes", async () => {
    const small = await openTestEngine({}, { resultBytesMax: 2 * MIB });
    try {
      const sql = (rowCount: number): string => `SELECT repeat('x', 1000) AS t FROM range(${rowCount})`;
      const fits = await resultText(small.engine, sql(2000), { format: "csv" });
      assert.equal(fits.split("\r\n").length, 2002);
      const lines = (await resultText(small.engine, sql(3000), { format: "ndjson" })).trimEnd().split("\n");
      assert.partialDeepStrictEqual(JSON.parse(lines.at(-1) ?? ""), { error: { code: "query_too_large" } });
      assert.ok(lines.length < 2200);
    } finally {
      await small.close();
    }
  });

  test("snapshots were released once each", () => {
    assert.equal(open.held(), 0);
  });

  test("an error near an arrow suggests parentheses", async () => {
    const fails = async (sql: string): Promise<string> =>
      rows(open.engine, sql).then(
        () => assert.fail("the statement should have failed"),
        (error: Problem) => error.message,
      );
    assert.match(await fails("SELECT attributes->>'user'::INT FROM logs"), /parentheses.*\(attributes->>'key'\)/);
    assert.match(await fails("SELECT (level = 'x' AND attributes)->>'user' FROM logs"), /\(attributes->>'key'\)/);
    assert.doesNotMatch(await fails("SELECT (attributes->>'user')::INT FROM logs"), /parentheses/);
  });

  test("the log describes a query without its text", async () => {
    await rows(open.engine, "SELECT 'a secret of the caller'");
    await until(() => open.engine.running() === 0);
    const line = open.logged.findLast(({ message }) => message === "query done");
    assert.equal(line?.level, "debug");
    assert.partialDeepStrictEqual(line.fields, { org_id: ORG, code: "ok", rows: 1 });
    assert.ok(!JSON.stringify(open.logged).includes("a secret of the caller"));
  });
});
