import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { QueryEngine } from "./index.ts";
import { makeInstance } from "./child/instance.ts";
import { truncateByArithmetic } from "./child/truncation.ts";
import { admit, readTree } from "./gate/index.ts";
import { openFiles, type FilesEngine } from "./testing/files.ts";
import { resultText } from "./testing/harness.ts";

// The arithmetic form of date_trunc must have the values, types, names and errors of date_trunc.

const UNITS = ["second", "minute", "hour", "day", "week", "Minute"];
const TIMES = [
  "2026-11-20T08:00:00.123456Z",
  "2026-11-20T07:59:59.999999Z",
  "2026-11-22T23:59:59.999999Z",
  "2026-11-23T00:00:00Z",
  "2000-01-01T00:00:00Z",
  "1999-12-31T23:59:59.999999Z",
  "1970-01-01T00:00:00Z",
  "1970-01-01T00:00:00.000001Z",
  "1970-01-04T23:59:59Z",
  "1970-01-05T00:00:00Z",
  "1969-12-31T23:59:59.999999Z",
  "1582-10-10T12:34:56Z",
  "0001-01-01T00:00:01Z",
  "2199-12-31T23:59:59.999999Z",
  "2200-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999999Z",
];
const BOUNDARY_TIMES = [...TIMES, "infinity", "-infinity"];
const T = "date_trunc('minute', timestamp)";

const CHANGED: readonly string[] = [
  ...UNITS.map((unit) => `SELECT timestamp, date_trunc('${unit}', timestamp) FROM logs`),
  `SELECT datetrunc('hour', l.timestamp) AS h, typeof(${T}) FROM logs l`,
  `SELECT ${T} AS minute, count(*) AS n FROM logs GROUP BY minute`,
  `SELECT ${T} AS minute, count(*) AS n FROM logs GROUP BY ALL`,
  `SELECT ${T}, count(*) AS n FROM logs GROUP BY 1`,
  `SELECT ${T}, count(*) AS n FROM logs GROUP BY ${T} HAVING ${T} > '2000-01-01'`,
  `SELECT ${T} + INTERVAL 1 MINUTE, ${T}::DATE FROM logs WHERE isfinite(timestamp)`,
  `SELECT ${T} + INTERVAL 1 MINUTE AS next, count(*) AS n FROM logs GROUP BY ${T} ORDER BY ${T}`,
  `SELECT ${T}, message FROM logs GROUP BY GROUPING SETS ((${T}, message), (message), ())`,
  `SELECT DISTINCT ${T} FROM logs ORDER BY ${T}`,
  `SELECT message FROM logs WHERE date_trunc('day', timestamp) = '2026-11-20'`,
  `SELECT message FROM logs WHERE date_trunc('day', timestamp) = $1::DATE`.replace("$1", "'2026-11-20'"),
  `SELECT "date_trunc('minute', ""timestamp"")" FROM (SELECT ${T} FROM logs)`,
  `SELECT x.* FROM (SELECT ${T}, * FROM logs) x`,
  `SELECT count(*) OVER (PARTITION BY ${T}) AS n, message FROM logs`,
  `SELECT l.message, date_trunc('hour', t.timestamp) FROM logs l JOIN traces t ON date_trunc('hour', l.timestamp) = date_trunc('hour', t.timestamp)`,
  `SELECT date_trunc('hour', timestamp), message FROM logs JOIN traces USING (timestamp)`,
  `WITH m AS (SELECT ${T} AS timestamp FROM logs GROUP BY ALL) SELECT date_trunc('hour', timestamp) AS timestamp, count(*) FROM m GROUP BY ALL`
    .replace(" AS timestamp FROM", " AS ts FROM")
    .replace("date_trunc('hour', timestamp) AS timestamp", "ts"),
  `SELECT (SELECT max(${T}) FROM traces) AS m, message FROM logs`,
  `SELECT ${T} AS a, attributes->>'user', count(*) FROM logs GROUP BY ALL`,
  `SELECT date_trunc('minute', timestamp) - date_trunc('day', timestamp) AS d FROM logs WHERE isfinite(timestamp)`,
];
const KEPT: readonly string[] = [
  `SELECT ${T}, ${T} IS NULL::DECIMAL(10, 2)::BOOLEAN FROM logs`,
  `SELECT date_trunc('month', timestamp), date_trunc('year', timestamp) FROM logs`,
  `SELECT date_trunc('minute', timestamp::TIMESTAMP), date_trunc('day', timestamp::DATE) FROM logs WHERE isfinite(timestamp)`,
  `SELECT message AS timestamp, date_trunc('minute', timestamp) FROM logs`,
  `SELECT timestamp::DATE AS timestamp, count(*) FROM logs GROUP BY ALL ORDER BY date_trunc('minute', timestamp)`,
  `SELECT * REPLACE (timestamp::DATE AS timestamp), date_trunc('day', timestamp) AS d FROM logs WHERE isfinite(timestamp)`,
  `SELECT date_trunc('minute', timestamp) FROM (SELECT timestamp::DATE AS timestamp FROM logs)`,
  `WITH logs2 AS (SELECT timestamp::TIMESTAMP AS timestamp FROM logs) SELECT date_trunc('minute', timestamp) FROM logs2`,
  `SELECT date_trunc('minute', l.timestamp) FROM logs AS l(timestamp2, timestamp)`,
  `SELECT list_transform([DATE '2026-11-20'], lambda timestamp: date_trunc('day', timestamp)) FROM logs`,
  `SELECT ${T} AS m FROM logs UNION ALL SELECT ${T} FROM traces ORDER BY ${T}`,
  `SELECT date_trunc('nothing', timestamp) FROM logs`,
];

describe("date_trunc", () => {
  let files: FilesEngine;
  let engine: QueryEngine;
  let plain: QueryEngine;

  before(async () => {
    const row = (timestamp: string, i: number): Record<string, unknown> => ({
      timestamp,
      message: `m${i}`,
      attributes: { user: `u${i % 3}` },
    });
    const withEnds = BOUNDARY_TIMES.map(row);
    files = await openFiles(
      [
        { type: "logs", rows: TIMES.map(row), promoted: ["user"] },
        { type: "traces", rows: TIMES.map(row) },
      ],
      { logs: withEnds },
    );
    engine = files.engine();
    plain = files.engine({ promotion: false });
  });
  after(async () => {
    await files.close();
  });

  async function answer(of: QueryEngine, sql: string): Promise<unknown> {
    try {
      const { columns, rows } = JSON.parse(await resultText(of, sql)) as { columns: unknown; rows: unknown[] };
      return { columns, rows: rows.map((row) => JSON.stringify(row)).toSorted() };
    } catch (error) {
      return String(error);
    }
  }

  for (const sql of [...CHANGED, ...KEPT]) {
    test(sql, async () => {
      const [fast, slow] = await Promise.all([answer(engine, sql), answer(plain, sql)]);
      assert.deepEqual(fast, slow);
      if (CHANGED.includes(sql)) assert.notEqual(typeof fast, "string", String(fast));
    });
  }

  test("becomes arithmetic in those statements and no others", async () => {
    const tables = new Set(["logs", "metrics", "traces"]);
    const instance = await makeInstance(1);
    const evaluate = async (sql: string, parameter: string): Promise<string> =>
      String((await instance.connection.runAndReadAll(sql, [parameter])).getRows()[0]?.[0]);
    const changes = async (sql: string): Promise<boolean> =>
      truncateByArithmetic(readTree(await admit(sql, tables, evaluate), tables), evaluate);
    for (const sql of CHANGED) assert.ok(await changes(sql), sql);
    for (const sql of KEPT) assert.ok(!(await changes(sql)), sql);
    instance.close();
  });

  test("equals its arithmetic form at a hundred thousand times", async () => {
    const instance = await makeInstance(2);
    const moment = "make_timestamptz((hash(i) % 14516236800000000)::BIGINT - 3629059200000000)";
    for (const [unit, lengthUs, beforeUs] of [
      ["second", 1e6, 0],
      ["minute", 60e6, 0],
      ["hour", 3600e6, 0],
      ["day", 86_400e6, 0],
      ["week", 604_800e6, 259_200e6],
    ] as const) {
      const found = await instance.connection.runAndReadAll(
        `SELECT count(*) FROM (SELECT ${moment} AS t, epoch_us(t) AS us FROM range(100000) r(i)) WHERE us BETWEEN 0 AND 7258118400000000
          AND make_timestamptz(us - (us + ${beforeUs}) % ${lengthUs}) IS DISTINCT FROM date_trunc('${unit}', t)`,
      );
      assert.deepEqual(found.getRows(), [[0n]], unit);
    }
    instance.close();
  });
});
