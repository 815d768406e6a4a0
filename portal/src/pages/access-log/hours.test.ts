import assert from "node:assert/strict";
import { test } from "node:test";
import { firstHourS, HOURS, hoursOf } from "./hours.ts";

test("accesses are counted by hour and outcome, failures at the base", () => {
  const fromS = firstHourS(Date.parse("2026-11-20T08:30:00Z"));
  assert.equal(new Date(fromS * 1000).toISOString(), "2026-11-19T09:00:00.000Z");
  const { times, series } = hoursOf(
    [
      { hour: fromS, outcome: "success", accesses: "300" },
      { hour: fromS + 3600, outcome: "failed", accesses: 2 },
    ],
    fromS,
  );
  assert.equal(times.length, HOURS);
  assert.deepEqual(
    series.map(({ label, level, values }) => [label, level, values[0], values[1]]),
    [
      ["failed", "error", 0, 2],
      ["success", "info", 300, 0],
    ],
  );
});
