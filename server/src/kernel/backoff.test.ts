import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff, backoffMs } from "./backoff.ts";

const RANGE = { firstMs: 1000, maxMs: 10_000 };

test("the wait doubles up to the maximum", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 5000].map((failures) => backoffMs(failures, RANGE)),
    [1000, 2000, 4000, 8000, 10_000, 10_000, 10_000],
  );
});

test("work waits after each failure, separately from other work, until it is forgotten", () => {
  let nowMs = 50_000;
  const backoff = new Backoff<string>(RANGE, { nowMs: () => nowMs });
  assert.ok(!backoff.isWaiting("a"));
  assert.deepEqual(backoff.fail("a"), { failures: 1, delayMs: 1000 });
  assert.ok(backoff.isWaiting("a") && !backoff.isWaiting("b"));
  nowMs += 999;
  assert.ok(backoff.isWaiting("a"));
  nowMs += 1;
  assert.ok(!backoff.isWaiting("a"));
  assert.deepEqual(backoff.fail("a"), { failures: 2, delayMs: 2000 });
  backoff.fail("b");
  backoff.forget("a");
  assert.ok(!backoff.isWaiting("a") && backoff.isWaiting("b"));
  assert.deepEqual(backoff.fail("a"), { failures: 1, delayMs: 1000 });
  backoff.forgetAll();
  assert.ok(!backoff.isWaiting("a") && !backoff.isWaiting("b"));
});
