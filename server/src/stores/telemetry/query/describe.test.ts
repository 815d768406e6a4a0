import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Problem, type ProblemCode } from "#kernel/problem.ts";
import type { StatementDescription } from "../types.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { openTestEngine, resultText, type TestEngine } from "./testing/harness.ts";

describe("the description of a statement", { concurrency: 1 }, () => {
  let open: TestEngine;
  before(async () => {
    open = await openTestEngine(FIXTURE);
  });
  after(() => open.close());

  async function parametersOf(sql: string): Promise<readonly string[]> {
    const text = await resultText(open.engine, sql, { describe: true });
    return (JSON.parse(text) as StatementDescription).parameters;
  }

  test("has its parameters, without values for them", async () => {
    assert.deepEqual(await parametersOf("SELECT count(*) FROM logs"), []);
    assert.deepEqual(await parametersOf("SELECT ?, ? FROM logs"), ["1", "2"]);
    const named = await parametersOf("SELECT 1 FROM logs WHERE timestamp >= $from AND timestamp < $to AND $from < $to");
    assert.deepEqual(named.toSorted(), ["from", "to"]);
  });

  test("does not run the statement", async () => {
    const startedMs = performance.now();
    await parametersOf("SELECT count(*) FROM range(100000000000) a, range(1000) b");
    assert.ok(performance.now() - startedMs < 30_000);
    assert.deepEqual(await parametersOf("SELECT message::INT FROM logs"), []);
  });

  const REFUSED: readonly [string, ProblemCode][] = [
    ["SELEC 1", "invalid_sql"],
    ["SELECT absent FROM logs", "invalid_sql"],
    ["COPY logs TO 'x'", "sql_not_allowed"],
    ["SELECT * FROM read_text('/etc/passwd')", "sql_not_allowed"],
  ];
  for (const [sql, code] of REFUSED) {
    test(`is refused like its execution: ${sql}`, async () => {
      await assert.rejects(parametersOf(sql), (error: unknown) => error instanceof Problem && error.code === code);
    });
  }
});
