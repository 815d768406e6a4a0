import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOf } from "../../kit/chart/time-steps.ts";
import { histogramOf } from "./histogram-data.ts";

test("every step has a bar, and every level that occurs has a part with its colour", () => {
  const starts = stepsOf(Date.parse("2026-11-20T08:00:00Z"), Date.parse("2026-11-20T10:00:00Z"), 1_800_000);
  const { data, total } = histogramOf(
    [
      { moment: "2026-11-20T08:30:00Z", level_name: "error", n: 3 },
      { moment: "2026-11-20T08:30:00Z", level_name: "other", n: "2" },
    ],
    starts,
  );
  assert.equal(total, 5);
  assert.equal(data.times.length, 4);
  assert.deepEqual(data.series, [
    { label: "error", values: [0, 3, 0, 0], level: "error" },
    { label: "other", values: [0, 2, 0, 0], isRest: true },
  ]);
});
