import assert from "node:assert/strict";
import { test } from "node:test";
import { histogramQuantile, quantilePoints } from "./histogram.ts";

const BUCKETS = [
  { bound: Infinity, upTo: 100 },
  { bound: 0.1, upTo: 50 },
  { bound: 1, upTo: 90 },
];

test("a quantile is interpolated within its bucket", () => {
  assert.equal(histogramQuantile(0.5, BUCKETS), 0.1);
  assert.equal(histogramQuantile(0.25, BUCKETS), 0.05);
  assert.ok(Math.abs(histogramQuantile(0.7, BUCKETS) - 0.55) < 1e-9);
});

test("a quantile beyond the last finite bound, or without observations, is unknown", () => {
  assert.equal(histogramQuantile(0.99, BUCKETS), 1);
  assert.ok(Number.isNaN(histogramQuantile(0.5, [])));
  assert.ok(Number.isNaN(histogramQuantile(0.5, [{ bound: Infinity, upTo: 0 }])));
  assert.equal(histogramQuantile(0.5, [{ bound: Infinity, upTo: 3 }]), 0);
});

test("each time and line has a separate quantile", () => {
  const rows = [
    { atS: 60, series: "a", le: "1", value: 10 },
    { atS: 60, series: "a", le: "+Inf", value: 10 },
    { atS: 60, series: null, le: "2", value: 10 },
    { atS: 120, series: "a", le: "4", value: 10 },
  ];
  assert.deepEqual(quantilePoints(rows, 0.5), [
    { atS: 60, series: "a", value: 0.5 },
    { atS: 60, series: null, value: 1 },
    { atS: 120, series: "a", value: 2 },
  ]);
});
