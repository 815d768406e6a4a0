import assert from "node:assert/strict";
import { test } from "node:test";
import { chartableOf, drawnOf } from "./result-data.ts";

const column = (name: string, type: string) => ({ name, type });
const [AT, LEVEL, N] = [column("at", "TIMESTAMP WITH TIME ZONE"), column("level", "VARCHAR"), column("n", "BIGINT")];

test("the chart's x axis is a time, or else a name", () => {
  assert.deepEqual(chartableOf([LEVEL, AT, N]), { x: "at", isTime: true, values: ["n"], split: "level" });
  assert.deepEqual(chartableOf([LEVEL, N]), { x: "level", isTime: false, values: ["n"], split: null });
  assert.equal(chartableOf([N]), null);
  assert.equal(chartableOf([AT, LEVEL]), null);
});

test("a name splits the numbers into series, the greatest first, with gaps for missing values", () => {
  const rows = [
    { at: "2026-11-20T08:01:00Z", level: "info", n: 1 },
    { at: "2026-11-20T08:00:00Z", level: "info", n: 2 },
    { at: "2026-11-20T08:01:00Z", level: "error", n: "9007199254740993" },
  ];
  const drawn = drawnOf(rows, { x: "at", isTime: true, values: ["n"], split: "level" });
  assert.deepEqual(drawn.positions, [Date.parse("2026-11-20T08:00:00Z"), Date.parse("2026-11-20T08:01:00Z")]);
  assert.deepEqual(
    drawn.series.map(({ name }) => name),
    ["error", "info"],
  );
  assert.deepEqual(drawn.series[0]?.values, [null, 9_007_199_254_740_992]);
});

test("the chart counts the rows that it leaves out", () => {
  const rows = Array.from({ length: 1070 }, (_, i) => ({ level: `l${i}`, n: i }));
  assert.equal(drawnOf(rows, { x: "level", isTime: false, values: ["n"], split: null }).left, 70);
  const many = Array.from({ length: 1003 }, (_, i) => ({ a: "x", level: `l${i}`, n: i }));
  assert.equal(drawnOf(many, { x: "a", isTime: false, values: ["n"], split: "level" }).left, 3);
});
