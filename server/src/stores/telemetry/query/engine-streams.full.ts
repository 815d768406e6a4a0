import assert from "node:assert/strict";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import type { QueryRequest, ResultFormat } from "../types.ts";
import { FIXTURE } from "./testing/fixture.ts";
import {
  childPids,
  childrenResident,
  openTestEngine,
  request,
  resultText,
  rows,
  until,
  type TestEngine,
} from "./testing/harness.ts";

const MIB = 1024 * 1024;
const MANY = "SELECT a.range AS n, repeat('x', 100) AS filler FROM range(1000) b, range(1000) a";

describe("the query engine: late errors, slow readers, dying children", { concurrency: 1 }, () => {
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

  describe("errors after the first byte", () => {
    const failing =
      "SELECT CASE WHEN n = 400000 THEN error_free(n) ELSE filler END FROM (SELECT range AS n, repeat('x', 100) AS filler FROM range(450000))".replace(
        "error_free(n)",
        "('no number ' || n)::int::varchar",
      );

    test("JSON has the error at its end", async () => {
      const result = JSON.parse(await resultText(open.engine, failing, { rowsMax: 2_000_000 })) as {
        rows: [];
        row_count: number;
        error: { code: string; detail: string };
      };
      assert.equal(result.error.code, "query_failed");
      assert.match(result.error.detail, /Could not convert string 'no number 400000'/);
      assert.equal(result.rows.length, result.row_count);
      await assertFree();
    });

    test("NDJSON has the error in its last line", async () => {
      const lines = (await resultText(open.engine, failing, { rowsMax: 2_000_000, format: "ndjson" }))
        .trimEnd()
        .split("\n");
      assert.partialDeepStrictEqual(JSON.parse(lines.at(-1) ?? ""), { error: { code: "query_failed" } });
      assert.ok(lines.length > 1000);
      await assertFree();
    });

    test("CSV breaks off", async () => {
      await assert.rejects(resultText(open.engine, failing, { rowsMax: 2_000_000, format: "csv" }), {
        code: "query_failed",
      });
      await assertFree();
    });

    test("the memory limit is exceeded late", async () => {
      const late =
        "SELECT range AS n, repeat('x', 100) AS t FROM range(200000) UNION ALL SELECT 0, md5(list(md5(range::varchar))::varchar) FROM range(30000000)";
      const result = JSON.parse(
        await resultText(open.engine, late, { rowsMax: 2_000_000, memoryBytesMax: 64 * MIB }).catch((error: Problem) =>
          JSON.stringify({ error: { code: error.code } }),
        ),
      ) as { error: { code: string } };
      assert.equal(result.error.code, "query_memory");
      await assertFree();
    });

    test("the time limit is exceeded late", async () => {
      const late =
        "SELECT range AS n, repeat('x', 100) AS t FROM range(1000000000000) WHERE range < 200000 OR hash(range) = 1";
      const lines = (await resultText(open.engine, late, { rowsMax: 2_000_000, timeoutMs: 2000, format: "ndjson" }))
        .trimEnd()
        .split("\n");
      assert.ok(lines.length > 100_000, "rows, then the error");
      assert.partialDeepStrictEqual(JSON.parse(lines.at(-1) ?? ""), { error: { code: "query_timeout" } });
      await assertFree();
    });

    test("the row limit is exceeded late", async () => {
      const result = JSON.parse(await resultText(open.engine, MANY, { rowsMax: 100_000 })) as {
        row_count: number;
        error: { code: string };
      };
      assert.equal(result.error.code, "query_too_large");
      assert.equal(result.row_count, 100_000);
    });
  });

  describe("streams", () => {
    async function begun(format: ResultFormat = "ndjson", overrides: Partial<QueryRequest> = {}): Promise<Readable> {
      const { body } = await open.engine.query(request(MANY, { format, rowsMax: 2_000_000, ...overrides }));
      return body;
    }

    test("a million rows arrive completely", async () => {
      let bytes = 0;
      let last = "";
      for await (const chunk of await begun()) {
        bytes += (chunk as Buffer).length;
        last = (chunk as Buffer).toString().slice(-200);
      }
      assert.ok(bytes > 100 * MIB);
      assert.match(last, /^\{"n":999,/m);
      await assertFree();
    });

    test("a slow reader pauses the child, and memory stays flat", async () => {
      const body = await begun("ndjson", { timeoutMs: 1500 });
      await once(body, "readable");
      const before = process.memoryUsage().rss;
      const children = childrenResident();
      let bytes = 0;
      const startedMs = performance.now();
      // Reads slowly for longer than the query's time limit, which does not run while nobody reads.
      while (performance.now() - startedMs < 2000) {
        bytes += (body.read() as Buffer | null)?.length ?? 0;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.ok(bytes < 20 * MIB, `${bytes} bytes were handed over`);
      assert.ok(process.memoryUsage().rss - before < 40 * MIB, "this process has not read the whole result");
      assert.ok(childrenResident() - children < 150 * MIB, "the child has not written the whole result");
      body.destroy();
      await assertFree();
    });

    test("a reader that stops reading is cut off", async () => {
      const body = await begun();
      const [error] = (await once(body, "error")) as [Error];
      assert.match(error.message, /the reader took nothing for 500 ms/);
      await assertFree();
    });

    test("an abort before the first byte cancels the query", async () => {
      const stop = new AbortController();
      const answer = resultText(
        open.engine,
        "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3",
        { signal: stop.signal },
      );
      await until(() => open.engine.running() === 1);
      stop.abort();
      await assert.rejects(answer);
      await assertFree();
    });

    test("an abort before the start uses no slot", async () => {
      await assert.rejects(resultText(open.engine, "SELECT 1", { signal: AbortSignal.abort() }));
      await assertFree();
    });

    test("an abort after the end does nothing", async () => {
      const stop = new AbortController();
      await resultText(open.engine, "SELECT 1", { signal: stop.signal });
      stop.abort();
      await assertFree();
    });
  });

  describe("a child that dies", () => {
    /** Kills every child, busy or idle, as a system that runs out of memory might. */
    async function endChildren(): Promise<void> {
      const pids = childPids();
      for (const pid of pids) process.kill(pid, "SIGKILL");
      await until(() => !childPids().some((pid) => pids.includes(pid)));
    }

    test("before the first byte: an error response, and the next query works", async () => {
      const answer = refused("SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3");
      await until(() => open.engine.running() === 1);
      const runningMs = performance.now();
      await until(() => performance.now() - runningMs > 300); // Earlier, the query would be retried.
      const ended = endChildren();
      assert.equal((await answer).code, "query_failed");
      await ended;
      await assertFree();
    });

    test("after the first byte: the result has an error or breaks off", async () => {
      const { body } = await open.engine.query(request(MANY, { rowsMax: 2_000_000 }));
      await once(body, "readable");
      const ended = endChildren();
      const outcome = await text(body).then(
        (whole) => (JSON.parse(whole) as { error: { code: string } }).error.code,
        (error: Problem) => error.code,
      );
      assert.equal(outcome, "query_failed");
      await ended;
      await assertFree();
    });

    test("while it is idle: no query fails", async () => {
      await rows(open.engine, "SELECT 1");
      const ended = endChildren();
      await ended;
      await assertFree();
    });
  });

  test("snapshots were released once each", () => {
    assert.equal(open.held(), 0);
  });
});

describe("closing the engine", () => {
  test("cancels running queries, ends every child, and refuses later queries", async () => {
    const open = await openTestEngine(FIXTURE);
    const answer = resultText(
      open.engine,
      "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3",
    );
    const failed = assert.rejects(answer, Problem);
    await until(() => open.engine.running() === 1);
    await open.engine.close();
    await failed;
    assert.equal(open.held(), 0);
    await assert.rejects(resultText(open.engine, "SELECT 1"), { code: "unavailable" });
    await open.close();
  });
});

test("query engine: a reader that disconnects frees the child, which runs the next query", async () => {
  // A separate engine, because a shared one starts and ends other children meanwhile.
  const others = childPids();
  const one = await openTestEngine(FIXTURE, { spareChildren: 0 });
  const childOfOne = (): number[] => childPids().filter((pid) => !others.includes(pid));
  try {
    const { body } = await one.engine.query(request(MANY, { format: "ndjson", rowsMax: 2_000_000 }));
    await once(body, "readable");
    const before = childOfOne();
    body.destroy();
    const startedMs = performance.now();
    await until(() => one.engine.running() === 0 && one.held() === 0);
    assert.ok(performance.now() - startedMs < 20_000, "within the interrupt's time");
    assert.deepEqual(await rows(one.engine, "SELECT count(*) FROM logs"), [[1000]]);
    assert.equal(before.length, 1);
    assert.deepEqual(childOfOne(), before, "the child was not lost");
  } finally {
    await one.close();
  }
});
