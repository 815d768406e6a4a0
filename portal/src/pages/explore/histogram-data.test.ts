import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOf } from "../../kit/bars-steps.ts";
import { histogramOf, rangeOfBars, STACK } from "./histogram-data.ts";

test("every step has a bar, every level a place, and every bar a range", () => {
  const step = 1_800_000;
  const steps = stepsOf(Date.parse("2026-11-20T08:00:00Z"), Date.parse("2026-11-20T10:00:00Z"), step);
  const histogram = histogramOf(
    [
      { moment: "2026-11-20T08:30:00Z", level_name: "error", n: 3 },
      { moment: "2026-11-20T08:30:00Z", level_name: "other", n: "2" },
    ],
    { steps, step },
  );
  assert.equal(histogram.bars.length, 4);
  assert.equal(histogram.total, 5);
  assert.equal(histogram.bars[1]?.values[STACK.indexOf("error")], 3);
  assert.equal(histogram.bars[1]?.values[STACK.indexOf("other")], 2);
  assert.deepEqual(rangeOfBars(histogram, 1, 2), { from: "2026-11-20T08:30:00.000Z", to: "2026-11-20T09:30:00.000Z" });
  assert.equal(rangeOfBars(histogram, 1, 9), null);
});
