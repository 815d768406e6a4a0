import assert from "node:assert/strict";
import { test } from "node:test";
import { testClock } from "#domain/identity/testing.ts";
import { FAILURE_KEYS_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { FailureDelay, failurePlaceOf } from "./failure-delay.ts";

/** Returns the seconds that a key has to wait. */
function waitOf(delay: FailureDelay, key: string): number {
  try {
    delay.check(key);
    return 0;
  } catch (error) {
    assert.ok(error instanceof Problem && error.code === "rate_limited");
    assert.equal(error.options.allowance?.name, "failures");
    return error.options.retryAfterS ?? 0;
  }
}

test("the first failures cause no wait; each further one doubles it, up to 30 seconds", () => {
  const clock = testClock();
  const delay = new FailureDelay(clock, 3);
  const waits: number[] = [];
  for (let i = 0; i < 9; i++) {
    delay.fail("a");
    waits.push(waitOf(delay, "a"));
    if (waits.at(-1) !== 0) assert.throws(() => delay.fail("a"), { code: "rate_limited" });
    clock.advance((waits.at(-1) ?? 0) * 1000);
    assert.equal(waitOf(delay, "a"), 0, "the wait ends");
  }
  assert.deepEqual(waits, [0, 0, 5, 10, 20, 30, 30, 30, 30]);
});

test("failures of one key delay no other key, and are forgotten after a quarter of an hour", () => {
  const clock = testClock();
  const delay = new FailureDelay(clock, 1);
  delay.fail("a");
  assert.equal(waitOf(delay, "a"), 5);
  assert.equal(waitOf(delay, "b"), 0);
  clock.advance(15 * 60_000);
  delay.fail("a");
  assert.equal(waitOf(delay, "a"), 5, "it begins again");
});

test("a clock that is set back does not make the wait longer", () => {
  const clock = testClock();
  const delay = new FailureDelay(clock, 1);
  delay.fail("a");
  clock.advance(-60 * 60_000);
  assert.equal(waitOf(delay, "a"), 0);
});

test("the limit of keys is kept; one more deletes the key whose failure is oldest", () => {
  const delay = new FailureDelay(testClock(), 1);
  for (let i = 0; i < FAILURE_KEYS_MAX; i++) delay.fail(`key ${i}`);
  assert.equal(delay.size, FAILURE_KEYS_MAX);
  assert.equal(waitOf(delay, "key 0"), 5, "at the limit all keys are kept");
  delay.fail("one more");
  assert.equal(delay.size, FAILURE_KEYS_MAX);
  assert.equal(waitOf(delay, "key 0"), 0);
  assert.equal(waitOf(delay, "key 1"), 5);
});

test("an IPv4 address counts alone, an IPv6 address with its network, and a mapped address as IPv4", () => {
  assert.equal(failurePlaceOf("192.0.2.1"), "192.0.2.1");
  assert.equal(failurePlaceOf("::ffff:192.0.2.1"), "192.0.2.1");
  assert.equal(failurePlaceOf("2001:db8:1:2:3:4:5:6"), failurePlaceOf("2001:db8:1:2:ffff::1"));
  assert.notEqual(failurePlaceOf("2001:db8:1:2::1"), failurePlaceOf("2001:db8:1:3::1"));
  assert.equal(failurePlaceOf("fe80::1%eth0"), "fe80::/64");
  assert.equal(failurePlaceOf(null), "unknown");
  assert.equal(failurePlaceOf("x".repeat(100)).length, 64);
});
