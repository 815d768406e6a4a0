import assert from "node:assert/strict";
import { test } from "node:test";
import { logTicks, logTitle, powerText } from "./log-ticks.ts";
import { momentTitle, rangeTitle, timeTicks } from "./time-ticks.ts";
import { valueText } from "./units.ts";
import { niceSteps } from "./value-steps.ts";

const steps = (
  high: number,
  unit: Parameters<typeof niceSteps>[0]["unit"] = "none",
  heightPx = 132,
  more = {},
): string =>
  niceSteps({ low: 0, high, unit, heightPx, ...more })
    .ticks.map(({ text }) => text)
    .join(" ");

test("the y axis has round steps from zero, and the unit at the highest", () => {
  assert.equal(steps(245), "0 100 200 300");
  assert.equal(steps(752, "none", 186), "0 200 400 600 800");
  assert.equal(steps(860), "0 300 600 900");
  assert.equal(steps(599, "milliseconds", 200), "0 200 400 600 ms");
  assert.equal(steps(5.2, "percent"), "0 2 4 6 %");
  assert.equal(steps(1190, "none", 40), "0 2 k");
  assert.equal(steps(60 * 1024, "bytes", 40), "0 64 KiB");
  assert.equal(steps(900 * 1024 ** 2, "bytes", 186), "0 0.25 0.5 0.75 1 GiB");
  assert.equal(steps(4000, "per-second"), "0 2 4 k/s");
  assert.equal(steps(85, "seconds"), "0 30 60 90 s");
  assert.equal(steps(0.085, "seconds"), "0 30 60 90 ms");
  assert.equal(steps(7000, "seconds"), "0 1 2 h");
  assert.equal(steps(40 * 86_400, "seconds"), "0 20 40 d");
});

test("the y axis of few or no values is round too", () => {
  assert.equal(steps(1, "none", 132, { isWhole: true }), "0 1");
  assert.equal(steps(3, "none", 132, { isWhole: true }), "0 1 2 3");
  assert.equal(steps(0), "0 0.5 1");
  assert.equal(steps(Number.NaN), "0 0.5 1");
  const { low, high } = niceSteps({ low: -30, high: 80, unit: "none", heightPx: 200 });
  assert.deepEqual([low, high], [-30, 90]);
  assert.equal(steps(1050, "none", 200, { low: 1000, hasZero: false }), "1 1.01 1.02 1.03 1.04 1.05 k");
});

const texts = (from: string, to: string, widthPx: number): string =>
  timeTicks(Date.parse(from) / 1000, Date.parse(to) / 1000, widthPx)
    .ticks.map(({ text }) => text)
    .join(", ");

test("times are round, and far enough from each other", () => {
  assert.equal(texts("2026-11-24T09:30:00Z", "2026-11-24T09:45:00Z", 520), "09:30, 09:33, 09:36, 09:39, 09:42, 09:45");
  assert.equal(
    texts("2026-11-23T09:45:00Z", "2026-11-24T09:45:00Z", 520),
    "12:00, 15:00, 18:00, 21:00, Tue 24 Nov, 03:00, 06:00, 09:00",
  );
  assert.equal(
    texts("2026-11-17T09:45:00Z", "2026-11-24T09:45:00Z", 520),
    "Wed 18 Nov, Thu 19, Fri 20, Sat 21, Sun 22, Mon 23, Tue 24",
  );
  assert.equal(texts("2026-11-24T09:30:00Z", "2026-11-24T09:31:00Z", 300), "09:30:00, 09:30:30, 09:31:00");
  assert.equal(texts("2026-11-24T09:30:00Z", "2026-11-24T09:30:01Z", 300), "09:30:00.000, 09:30:00.500, 09:30:01.000");
  assert.equal(texts("2024-11-24T00:00:00Z", "2026-11-24T00:00:00Z", 300), "Jan 2025, Jul, Jan 2026, Jul");
  assert.equal(texts("2026-11-24T00:00:00Z", "2026-11-24T00:00:00Z", 300), "");
});

test("90 days have a line at each Monday, and a name at every second one", () => {
  const { ticks, linesS } = timeTicks(Date.parse("2026-08-26") / 1000, Date.parse("2026-11-24") / 1000, 520);
  assert.equal(linesS.length, 13);
  for (const atS of linesS) assert.equal(new Date(atS * 1000).getUTCDay(), 1);
  assert.deepEqual(
    ticks.map(({ text }) => text),
    ["31 Aug", "14 Sep", "28 Sep", "12 Oct", "26 Oct", "9 Nov", "23 Nov"],
  );
});

test("a moment and a range are exact", () => {
  const atS = Date.parse("2026-11-23T20:52:00Z") / 1000;
  assert.equal(momentTitle(atS, 60), "Mon 23 Nov 20:52 UTC");
  assert.equal(momentTitle(atS, 15), "Mon 23 Nov 20:52:00 UTC");
  assert.equal(rangeTitle(atS, atS + 154), "20:52:00 to 20:54:34");
  assert.equal(rangeTitle(atS, atS + 86_400), "23 Nov 20:52 to 24 Nov 20:52");
});

test("a logarithmic axis names the powers of ten, with the unit where it begins", () => {
  assert.deepEqual(
    logTicks(0, 4.5, "milliseconds").map(({ text }) => text),
    ["1 ms", "10", "100", "1 s", "10"],
  );
  assert.equal(powerText(6, "milliseconds"), "1,000 s");
  assert.equal(logTitle(1, 1 / 3, "milliseconds"), "10 ms to 22 ms");
});

test("values have their unit after a space, and few digits", () => {
  assert.equal(valueText(0.123456), "0.123");
  assert.equal(valueText(28_318), "28,318");
  assert.equal(valueText(12_345_678), "12.3 M");
  assert.equal(valueText(2048, "bytes"), "2.00 KiB");
  assert.equal(valueText(-0.25, "seconds"), "−250 ms");
  assert.equal(valueText(1246, "per-second"), "1,246 /s");
  assert.equal(valueText(78, "percent"), "78 %");
  assert.equal(valueText(null), "–");
});
