import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { PlanStep } from "./child/plan.ts";
import type { QueryEngine } from "./index.ts";
import { openFiles, type FilesEngine, type TestFile } from "./testing/files.ts";
import { resultText } from "./testing/harness.ts";

// DuckDB evaluates conditions in the quickest order. It must evaluate none on a hidden row, because the error would
// reveal the row.

const SECRET = "secret";
const SEEN_ROWS = 40_000 * 0.9;

/** Makes rows. Each tenth belongs to a hidden project, and fails every condition that the others pass. */
function rows(from: number, to: number): Record<string, unknown>[] {
  return Array.from({ length: to - from }, (_, k) => {
    const i = from + k;
    const hidden = i % 10 === 0;
    const id = hidden ? `${SECRET}-${i}` : "00000000-0000-0000-0000-000000000000";
    return {
      timestamp: new Date(Date.UTC(2026, 10, 20) + i * 1000).toISOString(),
      message: id,
      service: hidden ? `${SECRET}(` : "(0",
      ...(i % 3 === 0 ? {} : { severity: i % 24 }),
      trace_id: hidden ? SECRET : `t${i}`,
      attributes: { user: id, n: hidden ? SECRET : i },
      ...(i % 10 === 1 ? {} : { project_id: hidden ? "proj_hidden" : "proj_seen" }),
    };
  });
}

const FILES: readonly TestFile[] = [
  { type: "logs", rows: rows(0, 30_000), promoted: ["user"] },
  { type: "logs", rows: rows(30_000, 36_000) },
  { type: "traces", rows: rows(0, 100), promoted: ["user"] },
  { type: "metrics", rows: rows(0, 100).map((row) => ({ ...row, value: 1.5, tags: { host: "a" } })) },
];

const NO_LIMITS = { services: [], repositories: [], webhooks: [], buckets: [] };

/** The forms in which DuckDB can put the visible projects and services into a plan. */
const others = Array.from({ length: 40 }, (_, i) => `proj_${i}`);
const VISIBLE = [
  { projectIds: ["proj_seen"], unassigned: true },
  { projectIds: ["proj_seen", "proj_b", "proj_c"], unassigned: true },
  { projectIds: ["proj_seen", ...others], unassigned: true },
  { projectIds: ["proj_seen", "proj_hidden"], unassigned: true, limits: { ...NO_LIMITS, services: ["(0"] } },
  { projectIds: ["proj_seen", "proj_hidden"], unassigned: true, limits: { ...NO_LIMITS, services: ["(0", ...others] } },
] as const;
const ALONE = [["proj_seen"], ["proj_seen", "proj_b", "proj_c"], ["proj_seen", ...others]].map((projectIds) => ({
  projectIds,
  unassigned: false,
}));

const CONDITIONS = [
  "message::UUID IS NOT NULL",
  "message::UUID = '00000000-0000-0000-0000-000000000000'",
  "message = '00000000-0000-0000-0000-000000000000'::UUID",
  "list_transform([message], lambda x: x::UUID) IS NOT NULL",
  "(attributes->>'user')::UUID IS NOT NULL",
  "(attributes->>'n')::INT IS NOT NULL",
  "(attributes->>'n')::INT >= 0",
  "CASE WHEN message::UUID IS NULL THEN false ELSE true END",
  "coalesce(message::UUID::VARCHAR, '') <> ''",
  "(SELECT count(*) FROM (SELECT unnest([message]) AS m) WHERE m::UUID IS NOT NULL) = 1",
  "NOT regexp_matches('x', service || ')')",
];

describe("hidden rows", { concurrency: 2 }, () => {
  let files: FilesEngine;
  let engine: QueryEngine;

  before(async () => {
    files = await openFiles(FILES, { logs: rows(36_000, 40_000) });
    engine = files.engine();
  });
  after(async () => {
    await files.close();
  });

  for (const condition of CONDITIONS) {
    test(`are not tested by ${condition}`, async () => {
      for (const visible of [...VISIBLE, ...ALONE]) {
        const seen = visible.unassigned ? SEEN_ROWS : SEEN_ROWS - 4000;
        for (const sql of [
          `SELECT count(*) AS n FROM logs WHERE ${condition}`,
          `SELECT count(*) AS n FROM (SELECT (${condition}) AS x FROM logs) WHERE x`,
        ]) {
          const answer = JSON.parse(await resultText(engine, sql, { visible })) as { rows: unknown[] };
          assert.deepEqual(answer.rows, [{ n: seen }], sql);
        }
      }
    });
  }

  test("are not found by their trace's ID", async () => {
    for (const [trace, n] of [
      [SECRET, 0],
      ["t1", 1],
      ["t39999", 1],
    ] as const) {
      for (const [table, visible] of VISIBLE.flatMap((each) => [["logs", each] as const, ["traces", each] as const])) {
        const sql = `SELECT count(*) AS n FROM ${table} WHERE trace_id = $trace AND message::UUID IS NOT NULL`;
        const of = table === "logs" ? sql : sql.replace(" AND message::UUID IS NOT NULL", "");
        const answer = JSON.parse(await resultText(engine, of, { visible, parameters: { trace } })) as {
          rows: unknown[];
        };
        assert.deepEqual(answer.rows, [{ n: table === "traces" && trace === "t39999" ? 0 : n }]);
      }
    }
  });

  test("do not change the columns", async () => {
    for (const table of ["logs", "metrics", "traces"]) {
      const part = JSON.parse(
        await resultText(engine, `SELECT * FROM ${table}`, { visible: VISIBLE[0], rowsMax: 1e6 }),
      );
      const mine = `SELECT * FROM ${table} WHERE project_id = 'proj_seen' OR project_id IS NULL`;
      const all = JSON.parse(await resultText(engine, mine, { rowsMax: 1e6 }));
      assert.deepEqual(part.columns, all.columns);
      assert.deepEqual(
        part.rows.map((row: unknown) => JSON.stringify(row)).toSorted(),
        all.rows.map((row: unknown) => JSON.stringify(row)).toSorted(),
      );
    }
  });

  test("do not count in a plan with a condition", async () => {
    const stepsOf = (step: PlanStep): PlanStep[] => [step, ...step.children.flatMap(stepsOf)];
    const scanned = async (condition: string, visible: (typeof VISIBLE)[number]): Promise<unknown> => {
      const sql = `SELECT count(*) FROM logs WHERE ${condition}`;
      const { plan } = JSON.parse(await resultText(engine, sql, { visible, explain: "analyze" })) as { plan: PlanStep };
      return stepsOf(plan).map(({ operator, rows }) => [operator, rows]);
    };
    for (const visible of VISIBLE) {
      const none = await scanned("message = 'zzz'", visible);
      for (const condition of [`message LIKE '${SECRET}%'`, `trace_id = '${SECRET}'`, "message > 'a'"])
        assert.deepEqual(await scanned(condition, visible), none, condition);
    }
  });

  test("do not show in a plan through a file's statistics", async () => {
    const plan = async (sql: string): Promise<string> => {
      const visible = { projectIds: [], unassigned: false };
      const text = await resultText(engine, sql, { visible, explain: "plan" });
      return text.replace(/,"statistics":.*/s, "").replaceAll(/2\d{3}-[-0-9: +.]+/g, "");
    };
    const within = await plan("SELECT count(*) FROM logs WHERE timestamp + INTERVAL 1 DAY > '2026-01-01'");
    const beyond = await plan("SELECT count(*) FROM logs WHERE timestamp + INTERVAL 1 DAY > '2029-01-01'");
    assert.equal(within, beyond);
  });
});
