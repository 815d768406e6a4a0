import assert from "node:assert/strict";
import { test } from "node:test";
import {
  alignPoints,
  bridged,
  hasValues,
  limitSeries,
  nearestIndex,
  stepFor,
  stepOf,
  stepText,
  summaryOf,
} from "./model.ts";

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
    31,
  );
  assert.deepEqual(times, [60, 120, 180]);
  assert.deepEqual(
    series.map(({ label, values }) => [label, ...values]),
    [
      ["b", null, 20, null],
      ["a", 1, null, 3],
      ["(none)", 0.5, null, null],
      ["others (31)", null, 5, null],
    ],
  );
});

test("no points make an empty chart", () => {
  assert.deepEqual(alignPoints([], 60), { times: [], series: [] });
});

test("past eight series, the others are one grey series, and the period before is not counted", () => {
  const series = Array.from({ length: 10 }, (_, index) => ({ label: `s${index}`, values: [index, null] }));
  const before = { label: "day before", values: [1, 2], isBefore: true };
  const limited = limitSeries({ times: [0, 60], series: [...series, before] }).series;
  assert.deepEqual(
    limited.map(({ label }) => label),
    ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "day before", "others (2)"],
  );
  assert.deepEqual(limited.at(-1), { label: "others (2)", values: [17, null], isRest: true });
  const eight = { times: [0], series: series.slice(0, 8) };
  assert.deepEqual(limitSeries(eight), eight);
});

test("the step fits the width", () => {
  assert.equal(stepFor(3600, 900), 30);
  assert.equal(stepFor(3600, 300), 60);
  assert.equal(stepFor(86_400 * 30, 900), 21_600);
  assert.equal(stepFor(86_400 * 3650, 900), 86_400 * 21);
  assert.deepEqual([30, 90, 21_600, 172_800].map(stepText), ["30 s", "1.5 min", "6 h", "2 d"]);
  assert.equal(stepOf({ times: [0, 300, 360], series: [] }), 60);
  assert.equal(stepOf({ times: [5], series: [] }), 60);
});

test("a line continues over its usual interval, and breaks at a longer gap", () => {
  assert.deepEqual(bridged([1, null, null, 2, null, null, 3]), [1, undefined, undefined, 2, undefined, undefined, 3]);
  assert.deepEqual(bridged([1, 2, 3, null, null, null, 4, 5]), [1, 2, 3, null, null, null, 4, 5]);
  assert.deepEqual(bridged([null, 1, null]), [null, 1, null]);
  assert.deepEqual(bridged([]), []);
});

test("the nearest time is found", () => {
  const times = [0, 60, 120];
  assert.deepEqual(
    [-5, 29, 31, 90, 500].map((at) => nearestIndex(times, at)),
    [0, 0, 1, 2, 2],
  );
  assert.equal(nearestIndex([], 5), null);
});

test("gaps alone are nothing to draw, and zero is a value", () => {
  assert.equal(hasValues({ times: [0], series: [{ label: "a", values: [null] }] }), false);
  assert.equal(hasValues({ times: [0], series: [{ label: "a", values: [0] }] }), true);
  assert.equal(hasValues({ times: [], series: [] }), false);
});

test("a summary skips gaps, and zero is zero", () => {
  assert.deepEqual(summaryOf([null, 0, 4, null]), { last: 4, min: 0, max: 4, sum: 4 });
  assert.deepEqual(summaryOf([null]), { last: null, min: null, max: null, sum: 0 });
});
