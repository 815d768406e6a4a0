import assert from "node:assert/strict";
import { test } from "node:test";
import { alignPoints, bridged, isolated, REST_LABEL, stepFor, stepText, timeText, valueText } from "./chart-model.ts";

test("points of several series share one grid, with gaps for missing points", () => {
  const { times, series } = alignPoints(
    [
      { atS: 60, series: "a", value: 1 },
      { atS: 180, series: "a", value: 3 },
      { atS: 120, series: "b", value: 20 },
      { atS: 120, series: null, value: 5 },
      { atS: 60, series: "", value: 0.5 },
    ],
    60,
  );
  assert.deepEqual(times, [60, 120, 180]);
  assert.deepEqual(
    series.map(({ label, values }) => [label, ...values]),
    [
      ["b", null, 20, null],
      ["a", 1, null, 3],
      ["(none)", 0.5, null, null],
      [REST_LABEL, null, 5, null],
    ],
  );
});

test("no points make an empty chart", () => {
  assert.deepEqual(alignPoints([], 60), { times: [], series: [] });
});

test("the step fits the width", () => {
  assert.equal(stepFor(3600, 900), 30);
  assert.equal(stepFor(3600, 300), 60);
  assert.equal(stepFor(86_400 * 30, 900), 21_600);
  assert.equal(stepFor(86_400 * 3650, 900), 86_400 * 21);
  assert.deepEqual([30, 90, 21_600, 172_800].map(stepText), ["30 s", "1.5 min", "6 h", "2 d"]);
});

test("values have their unit and few digits", () => {
  assert.equal(valueText(0.123456), "0.1235");
  assert.equal(valueText(12_345_678), "12.35M");
  assert.equal(valueText(2048, "bytes"), "2.00 KiB");
  assert.equal(valueText(-0.25, "seconds"), "−250 ms");
  assert.equal(valueText(2.5, "per-second"), "2.5/s");
  assert.equal(valueText(null), "–");
});

test("times are UTC", () => {
  assert.equal(timeText(0, false), "00:00:00");
  assert.equal(timeText(86_461, true), "1970-01-02 00:01:01");
});

test("a line continues over its usual interval, and breaks at a longer gap", () => {
  assert.deepEqual(bridged([1, null, null, 2, null, null, 3]), [1, undefined, undefined, 2, undefined, undefined, 3]);
  assert.deepEqual(bridged([1, 2, 3, null, null, null, 4, 5]), [1, 2, 3, null, null, null, 4, 5]);
  assert.deepEqual(bridged([null, 1, null]), [null, 1, null]);
  assert.deepEqual(bridged([]), []);
});

test("points without a line are found", () => {
  assert.deepEqual(isolated([1, null, 2, 3, null, 4]), [0, 5]);
  assert.deepEqual(isolated(bridged([1, null, 2, null, 3])), []);
});
