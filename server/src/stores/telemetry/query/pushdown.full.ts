import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { QueryRequest } from "../types.ts";
import type { QueryEngine } from "./index.ts";
import { openFiles, type FilesEngine } from "./testing/files.ts";
import { resultText } from "./testing/harness.ts";

// A condition in the scan of a file is first tested on the statistics and Bloom filters of its row groups.

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 20) + seconds * 1000).toISOString();
const rows = (file: number): Record<string, unknown>[] =>
  Array.from({ length: 20 }, (_, i) => ({
    timestamp: at(file * 20 + i),
    level: "info",
    message: `m${i}`,
    trace_id: `t${file}-${i}`,
    span_id: `s${i}`,
    name: "n",
    status: "ok",
    duration_ms: i,
    attributes: { user: `u${file}` },
    project_id: "proj_a",
  }));

interface Operator {
  readonly operator: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly children: readonly Operator[];
}

let files: FilesEngine;
let engine: QueryEngine;

before(async () => {
  files = await openFiles(
    (["logs", "traces"] as const).flatMap((type) => [
      { type, rows: rows(0), promoted: ["user"] },
      { type, rows: rows(1), promoted: ["user"] },
      { type, rows: rows(2) },
    ]),
    { logs: rows(3), traces: rows(3) },
  );
  engine = files.engine();
});
after(async () => {
  await files.close();
});

async function operators(sql: string, overrides: Partial<QueryRequest> = {}): Promise<Operator[]> {
  const { plan } = JSON.parse(await resultText(engine, sql, { explain: "analyze", ...overrides })) as {
    plan: Operator;
  };
  const flat = (operator: Operator): Operator[] => [operator, ...operator.children.flatMap(flat)];
  return flat(plan);
}

/** Returns the conditions of each scan of Parquet files. No other operator may be between a scan and the union. */
async function scans(sql: string, overrides: Partial<QueryRequest> = {}): Promise<string[]> {
  const all = await operators(sql, overrides);
  const scanning = all.filter(({ operator }) => operator === "READ_PARQUET");
  const filtered = all.filter(
    ({ operator, children }) => operator === "FILTER" && children[0]?.operator === "READ_PARQUET",
  );
  assert.deepEqual(filtered, [], "a condition is tested above a scan");
  return scanning.map(({ info }) => String(info["Filters"]));
}

const partly = { visible: { projectIds: ["proj_a"], unassigned: true }, explain: "plan" } as const;

describe("conditions that reach the scans", () => {
  for (const table of ["logs", "traces"]) {
    test(`a trace by its ID, in ${table}`, async () => {
      assert.deepEqual(await scans(`SELECT span_id FROM ${table} WHERE trace_id = 't1-3'`), ["trace_id='t1-3'"]);
      const parameters = { id: "t1-3" };
      assert.deepEqual(await scans(`SELECT * FROM ${table} WHERE trace_id = $id`, { parameters }), ["trace_id='t1-3'"]);
      const [narrowed = ""] = await scans(`SELECT span_id FROM ${table} WHERE trace_id = 't1-3'`, {
        range: { fromUs: Date.parse(at(0)) * 1000 + 1 },
      });
      assert.match(narrowed, /trace_id='t1-3'/);
      assert.match(narrowed, /timestamp>=/);
    });

    test(`an attribute with a column, in ${table}`, async () => {
      assert.deepEqual((await scans(`SELECT span_id FROM ${table} WHERE attributes->>'user' = 'u1'`)).sort(), [
        "((attributes ->> 'user') = 'u1')",
        "attribute_75736572='u1'",
      ]);
    });

    test(`a time that is known only during execution, in ${table}`, async () => {
      const [filters = ""] = await scans(
        `SELECT span_id FROM ${table} WHERE timestamp < now() + INTERVAL 1 YEAR AND timestamp >= '${at(1)}'`,
      );
      assert.match(filters, /timestamp>=.*timestamp<|timestamp<.*timestamp>=/s);
    });
  }

  test("for a caller who sees a part of the rows, only times and the trace's ID", async () => {
    const condition = `trace_id = 't1-3' AND timestamp >= '${at(1)}' AND service = 'a'`;
    const [filters = ""] = await scans(`SELECT span_id FROM logs WHERE ${condition}`, partly);
    assert.match(filters, /project_id/);
    assert.match(filters, /timestamp>=/);
    assert.match(filters, /trace_id='t1-3'/);
    assert.doesNotMatch(filters, /service/);
    const [bound = ""] = await scans("SELECT l.* FROM logs l WHERE l.trace_id = $id", {
      ...partly,
      parameters: { id: "t1-3" },
    });
    assert.match(bound, /trace_id='t1-3'/);
  });

  const ELSEWHERE = [
    "SELECT span_id FROM logs WHERE trace_id = 't1-3' OR span_id = 'x'",
    "SELECT span_id FROM logs WHERE NOT trace_id = 't1-3'",
    "SELECT span_id FROM logs WHERE trace_id = 't1-3' UNION ALL SELECT span_id FROM logs",
    "SELECT a.span_id FROM logs a, logs b WHERE a.trace_id = 't1-3' AND a.timestamp = b.timestamp",
    "SELECT span_id FROM logs WHERE (SELECT trace_id) = 't1-3'",
    "SELECT span_id FROM logs WHERE trace_id = 't1-' || 3",
    "SELECT x FROM logs l(x) WHERE x::VARCHAR = 't1-3'",
    "SELECT l.span_id FROM logs l ANTI JOIN traces t ON l.span_id = t.span_id WHERE l.service = 'trace_id'",
  ];
  for (const sql of ELSEWHERE) {
    test(`no other condition: ${sql}`, async () => {
      const filters = await scans(sql, partly);
      assert.doesNotMatch(filters.join(" "), /trace_id=/);
    });
  }

  test("a plan that was run does not reveal a trace's hidden rows", async () => {
    const [filters = ""] = await scans("SELECT span_id FROM logs WHERE trace_id = 't1-3'", {
      ...partly,
      explain: "analyze",
    });
    assert.match(filters, /project_id/);
    assert.doesNotMatch(filters, /trace_id/);
  });

  test("a query of a promoted column does not read attributes", async () => {
    const [scan] = (
      await operators(
        "SELECT attributes->>'user' AS u, count(*) FROM logs WHERE timestamp < '" + at(40) + "' GROUP BY u",
      )
    ).filter(({ operator }) => operator === "READ_PARQUET");
    assert.doesNotMatch(JSON.stringify(scan?.info["Projections"]), /attributes/);
  });
});
