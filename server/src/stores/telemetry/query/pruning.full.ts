import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { QueryRequest } from "../types.ts";
import type { QueryEngine } from "./index.ts";
import { openFiles, type FilesEngine, type TestFile } from "./testing/files.ts";
import { resultText, request } from "./testing/harness.ts";

const HOUR_MS = 3_600_000;
const HOURS = 48;
const NOW_HOUR_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const START_MS = NOW_HOUR_MS - (HOURS - 1) * HOUR_MS; // The last file is for the current hour.
const iso = (ms: number): string => new Date(ms).toISOString();
const hour = (n: number): string => iso(START_MS + n * HOUR_MS);

/** Returns a file of logs and one of traces for each hour, with four rows each: on the hour, 20, 40 and 59 minutes later. */
function hourFiles(): TestFile[] {
  return Array.from({ length: HOURS }, (_, n) => {
    const at = (k: number): string => iso(START_MS + n * HOUR_MS + [0, 20, 40, 59][k % 4]! * 60_000);
    const rows = [0, 1, 2, 3];
    const logs = rows.map((k) => ({
      timestamp: at(k),
      level: k % 2 === 0 ? "info" : "error",
      message: `${n}.${k}`,
      trace_id: `t${(n * 7 + k) % 40}`,
      attributes: { n, k },
    }));
    const traces = rows.map((k) => ({
      timestamp: at(k),
      trace_id: `t${(n * 5 + k) % 40}`,
      span_id: `${n}.${k}`,
      name: "s",
      status: "ok",
      duration_ms: n + k,
      attributes: { n },
    }));
    return [{ type: "logs", rows: logs } as const, { type: "traces", rows: traces } as const];
  }).flat();
}

interface Answer {
  readonly columns: unknown;
  readonly rows: readonly unknown[];
  readonly statistics: { readonly files_scanned: number; readonly files_total: number; readonly rows_scanned: number };
}

let files: FilesEngine;
let engine: QueryEngine;
let whole: QueryEngine;

async function ask(of: QueryEngine, sql: string, overrides: Partial<QueryRequest> = {}): Promise<Answer> {
  return JSON.parse(await resultText(of, sql, overrides)) as Answer;
}

before(async () => {
  files = await openFiles(hourFiles(), {});
  engine = files.engine();
  whole = files.engine({ pruning: false });
});
after(async () => {
  await files.close();
});

/** Returns the number of files whose newest row, a minute before the end of the hour, is not older than this. */
function since(ms: number): number {
  return Array.from({ length: HOURS }, (_, n) => START_MS + n * HOUR_MS + 59 * 60_000).filter((newest) => newest >= ms)
    .length;
}

/** Statements, and the number of files that they open: all 48 if the engine can't know that fewer are enough. */
const CASES: readonly {
  sql: string;
  opened: number | ((nowMs: number) => number);
  parameters?: QueryRequest["parameters"];
}[] = [
  { sql: "SELECT * FROM logs", opened: 48 },
  { sql: `SELECT * FROM logs WHERE timestamp >= '${hour(10)}'`, opened: 38 },
  {
    sql: `SELECT * FROM logs WHERE timestamp >= TIMESTAMPTZ '${hour(10)}' AND timestamp < '${hour(12)}'::TIMESTAMPTZ`,
    opened: 3,
  },
  {
    sql: `SELECT * FROM logs WHERE timestamp > '${hour(10)}' AND level = 'error' AND timestamp <= '${iso(START_MS + 11.5 * HOUR_MS)}'`,
    opened: 2,
  },
  { sql: `SELECT * FROM logs WHERE '${hour(40)}' < timestamp`, opened: 8 },
  { sql: `SELECT * FROM logs WHERE timestamp BETWEEN '${hour(1)}' AND '${hour(2)}'`, opened: 2 },
  { sql: `SELECT * FROM logs WHERE timestamp = '${hour(5)}'`, opened: 1 },
  { sql: `SELECT * FROM logs WHERE timestamp IN ('${hour(5)}', '${hour(7)}')`, opened: 3 },
  { sql: `SELECT * FROM logs WHERE timestamp < '${hour(2)}' OR timestamp > '${hour(46)}'`, opened: 48 },
  {
    sql: `SELECT * FROM logs WHERE (timestamp > '${hour(3)}' AND timestamp < '${iso(START_MS + 3.9 * HOUR_MS)}') OR timestamp = '${hour(5)}'`,
    opened: 3,
  },
  { sql: "SELECT * FROM logs WHERE timestamp > now() - INTERVAL 1 HOUR", opened: (now) => since(now - HOUR_MS) },
  {
    sql: "SELECT * FROM logs WHERE timestamp > current_timestamp - INTERVAL '90 minutes'",
    opened: (now) => since(now - 1.5 * HOUR_MS),
  },
  {
    sql: "SELECT * FROM logs WHERE timestamp >= date_trunc('hour', now())",
    opened: (now) => since(Math.floor(now / HOUR_MS) * HOUR_MS),
  },
  {
    sql: "SELECT * FROM logs WHERE timestamp >= $from AND timestamp < $to",
    parameters: { from: hour(4), to: hour(5) },
    opened: 2,
  },
  {
    sql: "SELECT * FROM logs WHERE level <> ? AND timestamp >= ?::TIMESTAMPTZ - to_hours(?)",
    parameters: ["x", hour(47), 1],
    opened: 2,
  },
  { sql: `SELECT * FROM logs l WHERE l.timestamp >= '${hour(47)}'`, opened: 1 },
  { sql: `SELECT * FROM main.logs WHERE LOGS."TIMESTAMP" >= '${hour(47)}'`, opened: 1 },
  { sql: `FROM logs WHERE timestamp >= DATE '${hour(47).slice(0, 10)}' + INTERVAL 1 YEAR`, opened: 0 },
  // joins
  { sql: `SELECT * FROM logs l JOIN traces t USING (trace_id) WHERE l.timestamp >= '${hour(47)}'`, opened: 49 },
  {
    sql: `SELECT * FROM logs l JOIN traces t USING (trace_id) WHERE l.timestamp >= '${hour(47)}' AND t.timestamp >= '${hour(46)}'`,
    opened: 3,
  },
  {
    sql: `SELECT * FROM logs l LEFT JOIN traces t ON l.trace_id = t.trace_id WHERE t.timestamp >= '${hour(47)}'`,
    opened: 49,
  },
  {
    sql: `SELECT * FROM logs l FULL JOIN traces t ON l.trace_id = t.trace_id WHERE t.timestamp >= '${hour(47)}'`,
    opened: 49,
  },
  {
    sql: `SELECT * FROM logs l ASOF JOIN traces t ON l.timestamp >= t.timestamp WHERE t.timestamp < '${hour(1)}'`,
    opened: 96,
  },
  {
    sql: `SELECT * FROM logs l ASOF JOIN traces t ON l.timestamp >= t.timestamp WHERE l.timestamp < '${hour(1)}'`,
    opened: 50,
  },
  { sql: `SELECT * FROM logs l POSITIONAL JOIN traces t WHERE l.timestamp >= '${hour(47)}'`, opened: 96 },
  { sql: `SELECT * FROM logs SEMI JOIN traces USING (trace_id) WHERE timestamp >= '${hour(47)}'`, opened: 49 },
  { sql: `SELECT * FROM logs ANTI JOIN traces USING (trace_id) WHERE timestamp >= '${hour(47)}'`, opened: 49 },
  {
    sql: `SELECT timestamp, count(*) FROM logs JOIN traces USING (timestamp) WHERE timestamp >= '${hour(47)}' GROUP BY 1`,
    opened: 96,
  },
  { sql: `SELECT count(*) FROM logs NATURAL JOIN traces WHERE timestamp >= '${hour(47)}'`, opened: 96 },
  // more than one SELECT
  {
    sql: `SELECT message FROM logs WHERE timestamp >= '${hour(47)}' UNION ALL SELECT message FROM logs WHERE timestamp < '${hour(1)}'`,
    opened: 48,
  },
  {
    sql: `SELECT message FROM logs WHERE timestamp >= '${hour(47)}' UNION ALL SELECT message FROM logs WHERE timestamp >= '${hour(45)}'`,
    opened: 3,
  },
  { sql: `WITH logs AS (SELECT * FROM traces) SELECT * FROM logs WHERE timestamp >= '${hour(47)}'`, opened: 48 },
  { sql: `WITH l AS (SELECT * FROM logs WHERE timestamp >= '${hour(47)}') SELECT * FROM l, l m`, opened: 1 },
  { sql: `SELECT * FROM (SELECT * FROM logs) WHERE timestamp >= '${hour(47)}'`, opened: 48 },
  {
    sql: `SELECT * FROM logs l WHERE timestamp >= '${hour(47)}' AND EXISTS (FROM traces t WHERE t.trace_id = l.trace_id AND t.timestamp < l.timestamp)`,
    opened: 49,
  },
  {
    sql: `SELECT * FROM logs l WHERE EXISTS (FROM traces t WHERE t.timestamp >= '${hour(47)}' AND l.timestamp >= '${hour(47)}')`,
    opened: 49,
  },
  { sql: "SELECT * FROM logs WHERE timestamp > (SELECT max(timestamp) FROM logs) - INTERVAL 1 HOUR", opened: 48 },
  // Statements whose condition looks like a limit on the time, but is not.
  { sql: `SELECT timestamp - INTERVAL 40 HOURS AS timestamp FROM logs WHERE timestamp >= '${hour(47)}'`, opened: 1 },
  { sql: `SELECT t FROM (SELECT timestamp - INTERVAL 40 HOURS AS t FROM logs) WHERE t >= '${hour(1)}'`, opened: 48 },
  { sql: `SELECT * FROM logs AS l(message, level) WHERE message >= '${hour(47)}'`, opened: 48 },
  { sql: `SELECT count(*) FROM logs TABLESAMPLE 100% WHERE timestamp >= '${hour(47)}'`, opened: 48 },
  { sql: `SELECT * FROM logs WHERE NOT (timestamp < '${hour(47)}')`, opened: 1 },
  { sql: `SELECT * FROM logs WHERE NOT (timestamp < '${hour(47)}' AND level = 'x')`, opened: 48 },
  {
    sql: `SELECT message FROM logs, (SELECT now() - INTERVAL 10 YEARS AS current_timestamp) WHERE timestamp >= current_timestamp`,
    opened: 48,
  },
  { sql: `SELECT * FROM logs WHERE timestamp > now() + to_seconds((random() * 10)::INT)`, opened: 48 },
  { sql: "SELECT * FROM logs WHERE timestamp > 'infinity'::TIMESTAMPTZ", opened: 48 },
  { sql: "SELECT * FROM logs WHERE timestamp > TIMESTAMPTZ '9999-01-01'", opened: 0 },
  { sql: "SELECT * FROM logs WHERE timestamp < TIMESTAMPTZ '0001-01-01'", opened: 0 },
  { sql: "SELECT * FROM logs WHERE timestamp > NULL", opened: 48 },
  { sql: `SUMMARIZE SELECT level FROM logs WHERE timestamp >= '${hour(47)}'`, opened: 1 },
];

describe("files that a statement opens", () => {
  for (const { sql, opened, parameters = [] } of CASES) {
    test(sql, async () => {
      const beforeMs = Date.now();
      const [pruned, all] = await Promise.all([ask(engine, sql, { parameters }), ask(whole, sql, { parameters })]);
      assert.deepEqual(sorted(pruned.rows), sorted(all.rows));
      assert.deepEqual(pruned.columns, all.columns);
      const { files_scanned: scanned, files_total: total } = pruned.statistics;
      assert.equal(all.statistics.files_scanned, total);
      if (typeof opened === "number") assert.equal(scanned, opened);
      else assert.ok([opened(beforeMs), opened(Date.now())].includes(scanned), `${scanned} were opened`);
    });
  }

  test("from and to limit the rows of every table, and the files", async () => {
    const range = { fromUs: Date.parse(hour(10)) * 1000, toUs: Date.parse(hour(12)) * 1000 };
    for (const sql of [
      "SELECT * FROM logs",
      "SELECT * FROM (SELECT * FROM traces)",
      `SELECT * FROM logs WHERE timestamp >= '${hour(11)}'`,
    ]) {
      const { rows, statistics } = await ask(engine, sql, { range });
      const halved = sql.includes("WHERE") ? 2 : 1;
      assert.deepEqual(
        [rows.length, statistics.files_scanned, statistics.rows_scanned],
        [8 / halved, 2 / halved, 8 / halved],
      );
    }
    const exact = { fromUs: range.fromUs, toUs: range.fromUs + 1 };
    assert.equal((await ask(engine, "SELECT * FROM logs", { range: exact })).rows.length, 1);
    assert.equal(
      (await ask(engine, "SELECT * FROM logs", { range: { fromUs: range.fromUs + 1, toUs: range.fromUs + 2 } })).rows
        .length,
      0,
    );
  });

  test("the statement itself reports an invalid time", async () => {
    for (const sql of [
      "SELECT * FROM logs WHERE timestamp > 'soon'",
      "SELECT * FROM logs WHERE timestamp > 5",
      "SELECT * FROM logs WHERE timestamp > $a",
    ]) {
      const message = (of: QueryEngine): Promise<string> =>
        resultText(of, sql).then(
          (text) => assert.fail(text),
          (error: Error) => error.message,
        );
      assert.equal(await message(engine), await message(whole));
    }
  });

  test("every format has the statistics", async () => {
    const run = await engine.query(request(`SELECT * FROM logs WHERE timestamp >= '${hour(47)}'`, { format: "csv" }));
    run.body.resume();
    const { elapsedMs, bytesScanned, ...rest } = (await run.statistics) ?? assert.fail("there are none");
    assert.deepEqual(rest, { rows: 4, truncated: false, rowsScanned: 4, filesScanned: 1, filesTotal: 48 });
    assert.ok(elapsedMs > 0 && bytesScanned > 0);
  });
});

describe("random statements", () => {
  test("return the same rows from the possible files as from all files", async () => {
    const random = generator(Number(process.env["MOORING_TEST_SEED"] ?? 20261120));
    for (let i = 0; i < 120; i++) {
      const sql = randomStatement(random);
      const [pruned, all] = await Promise.all([ask(engine, sql), ask(whole, sql)]);
      assert.deepEqual(sorted(pruned.rows), sorted(all.rows), sql);
    }
  });
});

type Random = (below: number) => number;

/** Returns numbers that look random and depend on the seed only (xorshift32). */
function generator(seed: number): Random {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function randomStatement(random: Random): string {
  const pick = <T>(...list: readonly T[]): T => list[random(list.length)] as T;
  const moment = (): string => {
    const at = iso(START_MS + random(HOURS * 60) * 60_000);
    return pick(
      `'${at}'`,
      `TIMESTAMPTZ '${at}'`,
      `TIMESTAMP '${at.slice(0, -1)}'`,
      `DATE '${at.slice(0, 10)}'`,
      `date_trunc('hour', now()) - INTERVAL ${random(47)} HOURS`,
      `date_trunc('hour', TIMESTAMPTZ '${at}') + to_minutes(${random(90)})`,
    );
  };
  const condition = (column: string, depth: number): string => {
    switch (random(depth > 2 ? 5 : 8)) {
      case 0:
        return `${column} ${pick(">", ">=", "<", "<=", "=", "<>")} ${moment()}`;
      case 1:
        return `${moment()} ${pick(">", ">=", "<", "<=")} ${column}`;
      case 2:
        return `${column} BETWEEN ${moment()} AND ${moment()}`;
      case 3:
        return `${column} ${pick("IN", "NOT IN")} (${moment()}, ${moment()})`;
      case 4:
        return pick("1 = 1", `${column} IS NOT NULL`, `${column} + INTERVAL 1 HOUR > ${moment()}`);
      case 5:
        return `NOT (${condition(column, depth + 1)})`;
      default:
        return `(${condition(column, depth + 1)} ${pick("AND", "OR")} ${condition(column, depth + 1)})`;
    }
  };
  const [one, two] = [condition("l.timestamp", 0), condition("t.timestamp", 0)];
  const where = pick(one, two, `${one} AND ${two}`, `${one} OR ${two}`);
  return pick(
    `SELECT message FROM logs WHERE ${condition("timestamp", 0)}`,
    `SELECT l.message FROM logs l WHERE ${one} AND l.level = 'info'`,
    `SELECT l.message, t.span_id FROM logs l ${pick("", "LEFT", "RIGHT", "FULL")} JOIN traces t ON l.trace_id = t.trace_id WHERE ${where}`,
    `SELECT l.message, t.span_id FROM logs l ASOF ${pick("", "LEFT")} JOIN traces t ON l.timestamp ${pick(">=", ">", "<")} t.timestamp WHERE ${where}`,
    `SELECT l.message FROM logs l ${pick("SEMI", "ANTI")} JOIN (SELECT * FROM traces t WHERE ${two}) t ON l.trace_id = t.trace_id WHERE ${one}`,
    `SELECT message FROM logs l WHERE ${one} UNION SELECT span_id FROM traces t WHERE ${two}`,
    `WITH t AS (SELECT * FROM logs l WHERE ${one}) SELECT count(*), min(timestamp), max(timestamp) FROM t WHERE ${two}`,
    `SELECT (SELECT count(*) FROM traces t WHERE ${two} AND t.trace_id = l.trace_id) AS n, l.message FROM logs l WHERE ${one}`,
  );
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}
