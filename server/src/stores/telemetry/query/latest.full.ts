import assert from "node:assert/strict";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { promotedColumn } from "../columns.ts";
import type { QueryRequest } from "../types.ts";
import type { ParquetInput, SnapshotTable } from "../snapshot.ts";
import { ALLOWED_FUNCTIONS } from "./gate/functions.ts";
import { MULTIPLYING, VOLATILE } from "./child/latest/statement.ts";
import { createQueryEngine, defaultQuerySettings, type QueryEngine } from "./index.ts";
import { duckdb, resultText } from "./testing/harness.ts";
import { DuckDBInstance } from "@duckdb/node-api";

// Finds the newest rows of a table from a part of its files. The answers must equal those of reading all files.

const START_US = Date.UTC(2026, 10, 20) * 1000;
const FILE_ROWS = 40_000;
const EMPTY: SnapshotTable = { parquet: [], hot: [], filesTotal: 0 };

let directory: string;
let bounded: QueryEngine;
let whole: QueryEngine;

/** Writes a file. A hundred rows share each time, so that bounds cut through rows of one time. Every thousandth row is an error. */
async function writeFileOf(number: number, promoted: boolean): Promise<ParquetInput> {
  const path = join(directory, `${number}.parquet`);
  const first = number * 30_000; // Files overlap.
  const own = promoted ? `, 'u' || (i % 977) AS "${promotedColumn("user")}"` : "";
  await duckdb(
    `COPY (SELECT make_timestamptz(${START_US} + (i // 100) * 1000000) AS timestamp, if(i % 1000 = 0, 'error', 'info') AS level, (i % 24)::UTINYINT AS severity,
      'm' || i AS message, 'api' AS service, printf('%032x', i) AS trace_id, printf('%016x', i) AS span_id,
      ('{"user":"u' || (i % 977) || '","i":' || i || '}')::JSON AS attributes, if(i % 3 = 0, 'proj_a', NULL) AS project_id${own}
      FROM range(${first}, ${first + FILE_ROWS}) t(i)) TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 4096)`,
  );
  const minUs = START_US + Math.floor(first / 100) * 1e6;
  const maxUs = START_US + Math.floor((first + FILE_ROWS - 1) / 100) * 1e6;
  return { path, rows: FILE_ROWS, bytes: (await stat(path)).size, minUs, maxUs, promoted: promoted ? ["user"] : [] };
}

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "mooring-latest-"));
  const parquet = [await writeFileOf(0, false), await writeFileOf(2, true), await writeFileOf(1, true)];
  const hotPath = join(directory, "hot.ndjson");
  const at = [1100, 1100, 1099, 5, 2000].map((s) => new Date(START_US / 1000 + s * 1000).toISOString());
  const hotRows = at.map((timestamp, i) => ({
    timestamp,
    level: "error",
    message: `h${i}`,
    attributes: { user: "u7" },
  }));
  await writeFile(hotPath, hotRows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const hot = [{ path: hotPath, rows: hotRows.length, bytes: (await stat(hotPath)).size }];
  const logs: SnapshotTable = { parquet, hot, filesTotal: 4 };
  const none = (): void => {};
  const engine = (pruning: boolean): QueryEngine =>
    createQueryEngine({
      settings: { ...defaultQuerySettings(directory), pruning },
      log: { debug: none, info: none, warn: none, error: none },
      clock: systemClock,
      snapshot: () => Promise.resolve({ tables: { logs, metrics: EMPTY, traces: EMPTY }, release: none }),
    });
  bounded = engine(true);
  whole = engine(false);
});
after(async () => {
  await bounded.close();
  await whole.close();
  await rm(directory, { recursive: true });
});

async function answer(engine: QueryEngine, sql: string, overrides: Partial<QueryRequest>): Promise<unknown> {
  const { columns, rows } = JSON.parse(await resultText(engine, sql, overrides)) as Record<string, unknown>;
  return { columns, rows };
}

const TOTAL = "timestamp DESC, message";
const USER = "attributes->>'user'";
const SAME: readonly (readonly [sql: string, overrides?: Partial<QueryRequest>])[] = [
  [`SELECT * FROM logs ORDER BY ${TOTAL} LIMIT 100`],
  [`SELECT * FROM logs ORDER BY ${TOTAL} LIMIT 101 OFFSET 50`],
  [`SELECT * FROM logs ORDER BY ${TOTAL} LIMIT 1`],
  [`SELECT * FROM logs ORDER BY ${TOTAL} LIMIT 0`],
  [`SELECT * FROM logs ORDER BY ${TOTAL} LIMIT 100 OFFSET 20000`],
  [`SELECT message FROM logs l ORDER BY l.${TOTAL} LIMIT 150`],
  [`SELECT message AS m, level FROM main.logs AS "A b" ORDER BY ${TOTAL} NULLS FIRST LIMIT 150`],
  [`SELECT * FROM logs WHERE level = 'error' ORDER BY ${TOTAL} LIMIT 5`],
  [`SELECT * FROM logs WHERE level = 'error' ORDER BY ${TOTAL} LIMIT 90`],
  [`SELECT * FROM logs WHERE message = 'm17' ORDER BY ${TOTAL} LIMIT 10`],
  [`SELECT * FROM logs WHERE message LIKE '%99' AND severity > 3 ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT * FROM logs WHERE timestamp < '2026-11-20T00:05:00Z' ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT * FROM logs WHERE timestamp < '2026-11-20T00:05:00Z' AND level = 'error' ORDER BY ${TOTAL} LIMIT 7`],
  [`SELECT * FROM logs WHERE timestamp > '2026-11-20T00:16:00Z' ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT message FROM logs WHERE ${USER} = 'u7' ORDER BY ${TOTAL} LIMIT 5`],
  [`SELECT message, ${USER} AS u FROM logs l WHERE (l.${USER}) IN ('u7', 'u8') ORDER BY ${TOTAL} LIMIT 50`],
  [`SELECT ${USER} AS u FROM logs WHERE level = 'error' ORDER BY ${TOTAL} LIMIT 40`],
  [`SELECT $2::INT AS x, message FROM logs WHERE level = $1 ORDER BY ${TOTAL} LIMIT 30`, { parameters: ["error", 5] }],
  [
    `SELECT $n AS n, message FROM logs WHERE level = $level ORDER BY ${TOTAL} LIMIT 30`,
    { parameters: { level: "error", n: 1 } },
  ],
  [`SELECT level AS kind, message FROM logs WHERE kind = 'error' ORDER BY ${TOTAL} LIMIT 30`],
  [`SELECT message AS level, message FROM logs WHERE level = 'error' ORDER BY ${TOTAL} LIMIT 30`],
  // Statements that look like one for the newest rows, but are not.
  [`SELECT * REPLACE (timestamp - INTERVAL (severity) HOUR AS timestamp) FROM logs ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT timestamp - INTERVAL (severity) HOUR AS timestamp, message FROM logs ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT timestamp - INTERVAL (severity) HOUR AS "Timestamp", message FROM logs ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT unnest(if(timestamp > '2026-11-20T00:16:00Z', [], [1])) AS x, message FROM logs ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT DISTINCT level FROM logs ORDER BY level LIMIT 20`],
  [`SELECT DISTINCT ON (level) level, message, timestamp FROM logs ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT message, count(*) OVER () AS n FROM logs ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT message FROM logs QUALIFY row_number() OVER (ORDER BY timestamp, message) < 50 ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT level, max(timestamp) AS timestamp FROM logs GROUP BY level ORDER BY timestamp DESC LIMIT 20`],
  [`SELECT message FROM logs WHERE timestamp = (SELECT min(timestamp) FROM logs) ORDER BY ${TOTAL} LIMIT 20`],
  [`SELECT message FROM logs ORDER BY timestamp DESC NULLS FIRST, message LIMIT 20`],
  [`SELECT message FROM logs ORDER BY timestamp, message LIMIT 20`],
  [`SELECT message FROM logs ORDER BY ${TOTAL} LIMIT 0.01%`],
  [`SELECT a.message FROM logs a JOIN logs b ON a.span_id = b.span_id ORDER BY a.timestamp DESC, a.message LIMIT 20`],
  [`SELECT l.message FROM logs AS l(timestamp2, timestamp) ORDER BY timestamp DESC, l.message LIMIT 20`],
  [`WITH w AS (SELECT message AS timestamp FROM logs) SELECT * FROM w ORDER BY timestamp DESC LIMIT 20`],
  [
    `(SELECT message, timestamp FROM logs WHERE level = 'error') UNION ALL (SELECT 'x', '2026-11-19') ORDER BY timestamp DESC, message LIMIT 30`,
  ],
];

describe("the newest rows", () => {
  for (const [sql, overrides] of SAME) {
    test(sql, async () => {
      const seen: Partial<QueryRequest>[] = [
        {},
        { visible: { projectIds: ["proj_a"], unassigned: false } },
        { range: { toUs: START_US + 600e6 } },
        { range: { fromUs: START_US + 500e6, toUs: START_US + 501e6 } },
      ];
      for (const each of seen) {
        const options = { ...overrides, ...each };
        assert.deepEqual(await answer(bounded, sql, options), await answer(whole, sql, options), JSON.stringify(each));
      }
    });
  }

  test("errors are those of the original statement", async () => {
    for (const sql of [
      "SELECT nothing FROM logs WHERE level = 'error' ORDER BY timestamp DESC LIMIT 5",
      "SELECT message FROM logs WHERE nothing = 1 ORDER BY timestamp DESC LIMIT 5",
      "SELECT message FROM logs WHERE message::INT = 1 ORDER BY timestamp DESC LIMIT 5",
    ]) {
      const [a, b] = await Promise.allSettled([resultText(bounded, sql), resultText(whole, sql)]);
      assert.equal(a.status, "rejected");
      assert.equal(b.status, "rejected");
      // Any row may fail first.
      assert.equal(String(a.reason).replaceAll(/m\d+/g, "m"), String(b.reason).replaceAll(/m\d+/g, "m"));
    }
  });

  test("are read from few rows", async () => {
    const scanned = async (engine: QueryEngine): Promise<number> => {
      const sql = "SELECT * FROM logs ORDER BY timestamp DESC LIMIT 100";
      const { plan } = JSON.parse(await resultText(engine, sql, { explain: "analyze" })) as { plan: Step };
      const sum = (step: Step): number =>
        (step.operator === "READ_PARQUET" ? (step.rows ?? 0) : 0) +
        step.children.reduce((all, each) => all + sum(each), 0);
      return sum(plan);
    };
    assert.ok((await scanned(bounded)) <= 1000, "the query read more than the rows of the last times");
  });

  test("functions of several rows and random functions are known", async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const found = await connection.runAndReadAll(
      "SELECT DISTINCT function_name, stability = 'VOLATILE' FROM duckdb_functions() WHERE stability = 'VOLATILE' OR macro_definition ILIKE '%unnest(%'",
    );
    for (const [name, isVolatile] of found.getRows()) {
      if (ALLOWED_FUNCTIONS.has(String(name)))
        assert.ok((isVolatile === true ? VOLATILE : MULTIPLYING).has(String(name)), `${String(name)} is not known`);
    }
    connection.closeSync();
    instance.closeSync();
  });
});

interface Step {
  readonly operator: string;
  readonly rows?: number;
  readonly children: readonly Step[];
}
