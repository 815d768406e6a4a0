import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { FIXTURE } from "./testing/fixture.ts";
import { childPids, openTestEngine, ORG, OTHER_ORG, rows, until, type TestEngine } from "./testing/harness.ts";
import type { QueryEngineSettings } from "./settings.ts";

async function withEngine(
  settings: Partial<QueryEngineSettings>,
  work: (open: TestEngine, count: (orgId?: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const open = await openTestEngine(FIXTURE, settings);
  try {
    await work(open, async (orgId = ORG) => {
      assert.deepEqual(await rows(open.engine, "SELECT count(*) FROM logs", { orgId }), [[orgId === ORG ? 1000 : 1]]);
    });
  } finally {
    await open.close();
  }
  assert.deepEqual(childPids(), [], "no child is left");
}

describe("the pool of children", { concurrency: 1 }, () => {
  test("one child runs a hundred queries in a row", async (context) => {
    await withEngine({ spareChildren: 0 }, async (_open, count) => {
      await count();
      const first = childPids();
      const times: number[] = [];
      for (let i = 0; i < 100; i++) {
        const startedMs = performance.now();
        await count();
        times.push(performance.now() - startedMs);
      }
      assert.deepEqual(childPids(), first);
      times.sort((a, b) => a - b);
      context.diagnostic(
        `warm query: ${times[50]?.toFixed(1)} ms in the middle, ${times[95]?.toFixed(1)} ms for 95 of 100`,
      );
    });
  });

  test("a child is replaced after a number of queries", async () => {
    await withEngine({ spareChildren: 0, queriesPerChildMax: 2 }, async (_open, count) => {
      await count();
      const first = childPids();
      await count();
      await until(() => childPids().length === 0);
      await count();
      assert.equal(childPids().length, 1);
      assert.notDeepEqual(childPids(), first);
    });
  });

  test("a child never serves two organizations", async () => {
    await withEngine({ spareChildren: 0 }, async (_open, count) => {
      await count(ORG);
      const own = childPids();
      await count(OTHER_ORG);
      assert.equal(childPids().length, 2);
      await count(ORG);
      await count(OTHER_ORG);
      assert.equal(childPids().length, 2);
      assert.ok(own.every((pid) => childPids().includes(pid)));
    });
  });

  test("the idle child that was unused for longest ends first", async () => {
    await withEngine({ spareChildren: 0, idleChildrenMax: 1 }, async (_open, count) => {
      await count(ORG);
      const own = childPids();
      await count(OTHER_ORG);
      await until(() => childPids().length === 1);
      assert.notDeepEqual(childPids(), own);
    });
  });

  test("an idle child ends after its time", async () => {
    await withEngine({ spareChildren: 0, idleChildMs: 50 }, async (_open, count) => {
      await count();
      await until(() => childPids().length === 0);
      await count();
    });
  });

  test("a spare child waits, and serves the first organization that asks", async () => {
    await withEngine({ spareChildren: 1 }, async (open, count) => {
      await open.engine.sandbox();
      await until(() => childPids().length === 1);
      const spare = childPids();
      await count(OTHER_ORG);
      assert.ok(childPids().includes(spare[0] ?? 0));
      await until(() => childPids().length === 2);
    });
  });

  test("spare children end after a time without queries, and the next query starts one again", async () => {
    await withEngine({ spareChildren: 1, idleChildMs: 300 }, async (open, count) => {
      await count();
      await until(() => childPids().length === 2);
      await until(() => childPids().length === 0);
      await count();
      await until(() => childPids().length === 2);
      const ends = open.logged.filter(
        ({ level, message }) => level === "warn" && message === "a spare query process ended",
      );
      assert.deepEqual(ends, [], "the end of a spare child at rest is expected");
    });
  });

  test("a stop signal to every process ends no child, and causes no warning", async () => {
    await withEngine({ spareChildren: 1 }, async (open, count) => {
      await count();
      await until(() => childPids().length === 2);
      const answer = rows(open.engine, "SELECT sum(a.range) FROM range(30000000) a, range(3) b");
      await until(() => open.engine.running() === 1);
      const before = childPids();
      for (const pid of before) for (const signal of ["SIGINT", "SIGTERM"] as const) process.kill(pid, signal);
      assert.equal((await answer).length, 1);
      assert.ok(before.some((pid) => childPids().includes(pid)));
      await open.engine.close();
      assert.deepEqual(
        open.logged.filter(({ level }) => level !== "debug"),
        [],
      );
    });
  });

  test("a spare child that is killed causes a warning", async () => {
    await withEngine({ spareChildren: 1 }, async (open) => {
      await open.engine.sandbox();
      await until(() => childPids().length === 1);
      process.kill(childPids()[0] ?? 0, "SIGKILL");
      await until(() => open.logged.some(({ message }) => message === "a spare query process ended"));
      assert.equal(open.logged.at(-1)?.level, "warn");
    });
  });

  test("a program that can't be started is an error, not a loop", async () => {
    // Less address space than Node itself needs.
    const open = await openTestEngine({}, { memoryBytesMax: -650 * 1024 * 1024 });
    try {
      for (let i = 0; i < 3; i++) await assert.rejects(rows(open.engine, "SELECT 1"), { code: "unavailable" });
      assert.ok(childPids().length <= 1);
      assert.equal(open.held(), 0);
      assert.equal(open.engine.running(), 0);
    } finally {
      await open.close();
    }
  });
});
