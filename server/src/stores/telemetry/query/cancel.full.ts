import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import type { QueryEvent } from "../types.ts";
import { FIXTURE } from "./testing/fixture.ts";
import { openTestEngine, request, resultText, rows, until, type TestEngine } from "./testing/harness.ts";

const SLOW = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3";
const MANY = "SELECT a.range AS n, repeat('x', 100) AS filler FROM range(1000) b, range(1000) a";

describe("cancelling queries", { concurrency: 1 }, () => {
  let open: TestEngine;
  before(async () => {
    open = await openTestEngine({}, { concurrentPerOrgMax: 2, concurrentPerActorMax: 1 });
  });
  after(() => open.close());

  const states = (): string[] => open.engine.queries.list().map(({ state }) => state);

  function cancelAll(by: string): string[] {
    return open.engine.queries.cancel(
      open.engine.queries.list().map(({ id }) => id),
      by,
    );
  }

  async function problemOf(result: Promise<unknown>): Promise<Problem> {
    return result.then(
      () => assert.fail("the query should have been cancelled"),
      (error: unknown) => {
        assert.ok(error instanceof Problem, String(error));
        return error;
      },
    );
  }

  test("the list has queries that run and wait, and cancelling ends both with a clear code", async () => {
    const running = problemOf(resultText(open.engine, SLOW));
    await until(() => states().join() === "running");
    const waiting = problemOf(resultText(open.engine, "SELECT 1"));
    await until(() => states().join() === "running,waiting");
    const [first] = open.engine.queries.list("org_other");
    assert.equal(first, undefined, "another organization sees nothing");
    const ids = open.engine.queries.list().map(({ id }) => id);
    assert.deepEqual(cancelAll("user_1"), ids);
    for (const problem of await Promise.all([running, waiting])) {
      assert.equal(problem.code, "query_cancelled");
      assert.match(problem.message, /cancelled by its author or by somebody who manages queries/);
    }
    await until(() => open.engine.running() === 0);
    assert.deepEqual(states(), []);
    assert.deepEqual(open.engine.queries.cancel(ids, "user_1"), [], "they have ended");
    assert.deepEqual(await rows(open.engine, "SELECT 1"), [[1]], "the slot and the process are free");
  });

  test("a result that has begun ends with the reason, and the slot is free", async () => {
    for (const format of ["ndjson", "json"] as const) {
      const run = await open.engine.query(request(MANY, { format, rowsMax: 2_000_000 }));
      cancelAll("user_1");
      const sent = await text(run.body);
      assert.match(sent.slice(-400), /"code":"query_cancelled","detail":"the query was cancelled/, format);
      assert.equal(await run.statistics, undefined);
      await until(() => open.engine.running() === 0);
    }
    const csv = await open.engine.query(request(MANY, { format: "csv", rowsMax: 2_000_000 }));
    cancelAll("user_1");
    await assert.rejects(text(csv.body), /cancelled/);
    await until(() => open.engine.running() === 0 && states().length === 0);
  });

  test("a reader that takes nothing does not delay the cancellation", async () => {
    const run = await open.engine.query(request(MANY, { format: "ndjson", rowsMax: 2_000_000 }));
    cancelAll("user_1");
    await until(() => open.engine.running() === 0, 5000);
    assert.match((await text(run.body)).slice(-400), /query_cancelled/);
  });

  test("each query that ends is reported with its result, and with what it read", async () => {
    const told: QueryEvent[] = [];
    const engine = await openTestEngine(FIXTURE, { scanBytesMax: 100_000_000 });
    engine.engine.queries.onEnd((event) => void told.push(event));
    const range = { fromUs: Date.parse("2026-11-20T00:00:00Z") * 1000 };
    await rows(engine.engine, "SELECT count(*) FROM logs", { range });
    await problemOf(resultText(engine.engine, "SELECT no_column FROM logs"));
    const gone = new AbortController();
    const left = resultText(engine.engine, SLOW, { signal: gone.signal }).catch(() => undefined);
    await until(() => engine.engine.running() === 1);
    gone.abort();
    await left;
    await until(() => told.length === 3);
    assert.partialDeepStrictEqual(told, [
      { state: "done", code: null, tables: ["logs"], rowsOut: 1, fromUs: range.fromUs, toUs: null, slow: [] },
      { state: "failed", code: "invalid_sql", rowsOut: 0 },
      { state: "cancelled", code: "query_cancelled", cancelledBy: null },
    ]);
    const [done] = told;
    assert.ok((done?.bytesRead ?? 0) > 0 && (done?.filesRead ?? 0) > 0 && (done?.bytesOut ?? 0) > 0);
    await engine.close();
  });

  test("a statement that would read too much is refused before it reads, except for the newest rows", async () => {
    const engine = await openTestEngine(FIXTURE, { scanBytesMax: 10 });
    const told: QueryEvent[] = [];
    engine.engine.queries.onEnd((event) => void told.push(event));
    const problem = await problemOf(resultText(engine.engine, "SELECT count(*) FROM logs"));
    assert.equal(problem.code, "query_scan_limit");
    assert.match(problem.message, /may read 10 \(query_scan_bytes_max\)/);
    await until(() => told.length === 1);
    assert.partialDeepStrictEqual(told[0], { state: "refused", refusal: "scan_limit", bytesRead: 0 });
    assert.equal((await rows(engine.engine, "SELECT message FROM logs ORDER BY timestamp DESC LIMIT 1")).length, 1);
    await resultText(engine.engine, "SELECT count(*) FROM logs", { explain: "plan" });
    assert.deepEqual(await rows(engine.engine, "SELECT 1"), [[1]]);
    await until(() => engine.engine.running() === 0 && engine.held() === 0);
    await engine.close();
  });
});
