import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { QueryRequest } from "../types.ts";
import type { PlanStep } from "./child/plan.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { openTestEngine, ORG, OTHER_ORG, resultText, type TestEngine } from "./testing/harness.ts";

const STATEMENTS = [
  "SELECT level, count(*) FROM logs WHERE timestamp > '2026-01-01' AND message LIKE '%x%' GROUP BY level ORDER BY 2 LIMIT 3",
  "SELECT l.message, t.name FROM logs l JOIN traces t USING (trace_id) WHERE (l.attributes->>'user') = 'u1'",
  "WITH x AS (SELECT * FROM metrics) SELECT tags['host'], avg(value) OVER (PARTITION BY name) FROM x",
  "SELECT * FROM range(10) UNION ALL SELECT 1",
];

describe("plans", { concurrency: 1 }, () => {
  let open: TestEngine;

  before(async () => {
    open = await openTestEngine(FIXTURE);
  });
  after(async () => {
    assert.equal(open.held(), 0);
    await open.close();
  });

  async function explain(sql: string, how: "plan" | "analyze", more: Partial<QueryRequest> = {}) {
    const answer = await resultText(open.engine, sql, { explain: how, ...more });
    for (const secret of [open.directory, ORG, OTHER_ORG, ".parquet", ".ndjson", "node_modules"])
      assert.ok(!answer.includes(secret), `${secret} is revealed: ${answer}`);
    return JSON.parse(answer) as { plan: PlanStep; statistics: { elapsed_ms: number; files_scanned: number } };
  }

  const stepsOf = (step: PlanStep): PlanStep[] => [step, ...step.children.flatMap(stepsOf)];

  test("show the steps, and no path", async () => {
    for (const sql of STATEMENTS) {
      const { plan, statistics } = await explain(sql, "plan");
      const steps = stepsOf(plan);
      assert.ok(steps.every(({ operator }) => /^[A-Z_ ]+$/.test(operator)));
      assert.ok(steps.every((step) => step.rows === undefined && step.elapsed_ms === undefined));
      assert.ok(statistics.elapsed_ms > 0);
    }
    const { plan } = await explain(STATEMENTS[0] ?? "", "plan");
    assert.ok(stepsOf(plan).some(({ operator }) => operator === "READ_PARQUET"));
  });

  test("that were run show rows and times, and no path", async () => {
    for (const sql of STATEMENTS) {
      const { plan } = await explain(sql, "analyze");
      const steps = stepsOf(plan);
      assert.ok(steps.every((step) => typeof step.rows === "number" && typeof step.elapsed_ms === "number"));
    }
    const { plan } = await explain("SELECT * FROM logs", "analyze");
    assert.equal(plan.rows, 1000);
  });

  test("parameters are bound", async () => {
    const { plan } = await explain("SELECT * FROM logs WHERE level = $level", "analyze", {
      parameters: { level: "error" },
    });
    assert.equal(plan.rows, 250);
    await assert.rejects(explain("SELECT * FROM logs WHERE level = $level", "plan"), { code: "invalid_parameter" });
  });

  test("a plan alone runs nothing", async () => {
    const startedMs = performance.now();
    await explain("SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7", "plan");
    assert.ok(performance.now() - startedMs < 30_000);
  });

  test("limits apply to a plan that is run", async () => {
    const long = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 7";
    await assert.rejects(explain(long, "analyze", { timeoutMs: 300 }), { code: "query_timeout" });
    const large = "SELECT list(md5(range::VARCHAR)) FROM range(100000000)";
    await assert.rejects(explain(large, "analyze", { memoryBytesMax: 64 * 1024 * 1024 }), { code: "query_memory" });
    assert.equal((await explain("SELECT 1", "analyze")).plan.rows, 1);
  });

  test("a caller without visible projects learns of no row", async () => {
    const { plan } = await explain("SELECT * FROM logs", "analyze", { visible: { projectIds: [], unassigned: false } });
    assert.equal(plan.rows, 0);
  });

  test("EXPLAIN itself may not be sent as a statement", async () => {
    for (const sql of ["EXPLAIN SELECT 1", "EXPLAIN ANALYZE SELECT 1", "SELECT 1) SELECT (1"])
      await assert.rejects(explain(sql, "plan"));
  });
});
