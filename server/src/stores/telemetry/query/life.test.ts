import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { openTestEngine, request, rows, until } from "./testing/harness.ts";

test("a result that is read slowly without end is cut off and frees its slot", async () => {
  const open = await openTestEngine({}, { resultTimeoutMs: 1500, concurrentMax: 1, concurrentPerOrgMax: 1 });
  try {
    const sql = "SELECT repeat('x', 1000) AS text FROM range(1000000)";
    const { body } = await open.engine.query(request(sql, { rowsMax: 1_000_000 }));
    const startedMs = performance.now();
    let taken = 0;
    const drip = async (): Promise<void> => {
      for await (const chunk of body) {
        taken += (chunk as Buffer).length;
        assert.ok(performance.now() - startedMs < 40_000, "the query continues");
        await delay(20);
      }
    };
    await assert.rejects(drip(), /not read within 1500 ms/);
    assert.ok(taken > 0);
    await until(() => open.engine.running() === 0);
    assert.equal(open.held(), 0);
    assert.deepEqual(await rows(open.engine, "SELECT 1 AS one"), [[1]]);
  } finally {
    await open.close();
  }
});
