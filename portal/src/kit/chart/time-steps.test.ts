import assert from "node:assert/strict";
import { test } from "node:test";
import { stepMs, stepsOf, stepStart } from "./time-steps.ts";

const HOUR = 3_600_000;

test("a range has a limited number of steps, with usual lengths", () => {
  assert.equal(stepMs(0, HOUR, 90), 60_000);
  assert.equal(stepMs(0, 24 * HOUR, 90), 1_800_000);
  assert.equal(stepMs(0, 10, 90), 1);
  const long = 3650 * 24 * HOUR;
  assert.ok(long / stepMs(0, long, 90) <= 90);
});

test("steps begin where the server's steps begin", () => {
  assert.equal(
    new Date(stepStart(Date.parse("2026-11-20T08:44:59Z"), 1_800_000)).toISOString(),
    "2026-11-20T08:30:00.000Z",
  );
  assert.equal(new Date(stepStart(Date.parse("2026-11-20T08:44:59Z"), 7 * 24 * HOUR)).getUTCDay(), 1);
  assert.equal(stepsOf(Date.parse("2026-11-20T08:10:00Z"), Date.parse("2026-11-20T10:00:00Z"), HOUR).length, 2);
});
