import assert from "node:assert/strict";
import { test } from "node:test";
import { WorkLog } from "./work-log.ts";

test("remembers when work ran, how long, and why it failed", async () => {
  let nowMs = 1000;
  const log = new WorkLog({ nowMs: () => nowMs });
  let fails = false;
  const run = log.watch("sweep", 60_000, async () => {
    nowMs += 5;
    if (fails) throw new Error("the disk is full");
  });
  assert.deepEqual(log.list(), [{ name: "sweep", everyMs: 60_000, runningSinceMs: null, last: null }]);
  await run();
  assert.deepEqual(log.list()[0]?.last, { startedMs: 1000, durationMs: 5, failure: null });
  fails = true;
  await assert.rejects(run(), /the disk is full/);
  assert.equal(log.list()[0]?.last?.failure, "the disk is full");
});

test("runs once at a time, and now when it is asked", async () => {
  const log = new WorkLog({ nowMs: () => 1000 });
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const run = log.watch("sweep", 60_000, () => {
    runs += 1;
    return promise;
  });
  assert.equal(log.begin("sweep"), true);
  assert.equal(log.begin("none"), false);
  const second = run();
  assert.equal(log.list()[0]?.runningSinceMs, 1000);
  resolve();
  await second;
  assert.equal(runs, 1);
  assert.equal(log.list()[0]?.runningSinceMs, null);
});
