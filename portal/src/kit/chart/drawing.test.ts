import assert from "node:assert/strict";
import { test } from "node:test";
import { colourOf, slotsOf } from "./colours.ts";
import { depthOf } from "./depth.ts";
import { layoutLabels, layoutPennants, layoutTags, textPx } from "./labels.ts";
import { hiddenAfter } from "./hidden.ts";
import { areaPath, bandPath, boxesPath, linePath, minmax, segmentsOf, type PixelPoint } from "./paths.ts";
import { scalesOf } from "./scales.ts";
import { sentenceOf } from "./sentence.ts";
import { changeOf, rowsAt } from "./tip-rows.ts";

const point = (xPx: number, yPx: number | null | undefined): PixelPoint => ({ xPx, yPx });

test("100,000 points become the extremes of each pixel, and no peak is lost", () => {
  const places = { widthPx: 500, xPx: (at: number) => at / 200, yPx: (value: number) => 1000 - value };
  const times = Array.from({ length: 100_000 }, (_, index) => index);
  const values = times.map((index) => (index === 777 ? 900 : index % 10));
  const drawn = minmax(times, values, places);
  assert.ok(drawn.length <= 2000, String(drawn.length));
  assert.ok(drawn.some(({ yPx }) => yPx === 100));
  assert.ok(drawn.every(({ xPx }, index) => index === 0 || xPx >= (drawn[index - 1]?.xPx ?? 0)));
  const withGap = values.map((value, index) => (index > 40_000 && index < 60_000 ? null : value));
  assert.equal(segmentsOf(minmax(times, withGap, places)).length, 2);
  const few = minmax([0, 200, 400], [1, undefined, 3], places);
  assert.deepEqual(few, [point(0, 999), point(2, 997)]);
});

test("a gap is a gap in a line, its wash and its band", () => {
  const points = [point(0, 10), point(10, 20), point(20, null), point(30, 5), point(40, 6)];
  assert.equal(linePath(points), "M0 10L10 20M30 5L40 6");
  assert.equal(areaPath(points, 100), "M0 100L0 10L10 20L10 100zM30 100L30 5L40 6L40 100z");
  assert.equal(bandPath([point(0, 9), point(5, 9)], [point(0, 1), point(5, 2)]), "M0 1L5 2L5 9L0 9z");
  assert.equal(linePath([point(5, 5)]), "M3.5 5h3");
  assert.equal(boxesPath([{ xPx: 1, yPx: 2, widthPx: 3, heightPx: 4 }]), "M1 2h3v4h-3z");
});

test("labels stay within the width, and a less important one gives way", () => {
  const labels = [0, 40, 80, 300].map((atPx) => ({ atPx, text: "09:00", weight: 0 }));
  labels.push({ atPx: 55, text: "Tue 24 Nov", weight: 1 });
  const placed = layoutLabels(labels, 300);
  assert.deepEqual(
    placed.map(({ atPx }) => atPx),
    [55, 300],
  );
  for (const { leftPx, text } of placed) assert.ok(leftPx >= 0 && leftPx + textPx(text) <= 300);
});

test("the text of a pennant flips near the right edge, and drops out before it meets another", () => {
  const of = (...places: number[]): readonly string[] =>
    layoutPennants(
      places.map((atPx) => ({ atPx, text: "1.14.2" })),
      300,
    );
  assert.deepEqual(of(100), ["right"]);
  assert.deepEqual(of(290), ["left"]);
  assert.deepEqual(of(100, 110), ["left", "right"]);
  assert.deepEqual(of(5, 12), ["none", "right"]);
  assert.deepEqual(of(100, 200), ["right", "right"]);
});

test("tags stay within the width, and one that would meet another stands lower", () => {
  const tags = [50, 250, 260, 299].map((atPx) => ({ atPx, text: "p95 812 ms" }));
  assert.deepEqual(
    layoutTags(tags, 300).map(({ row }) => row),
    [0, 0, 1, 2],
  );
});

test("a name keeps its colour, and two names of one chart never share one", () => {
  const first = slotsOf(["a", "b", "c"], new Map());
  assert.deepEqual([...first.values()], [0, 1, 2]);
  const second = slotsOf(["c", "new"], first);
  assert.deepEqual(Object.fromEntries(second), { c: 2, new: 3 });
  const eight = Array.from({ length: 8 }, (_, index) => `n${index}`);
  assert.equal(
    new Set(
      slotsOf(
        eight,
        new Map([
          ["n0", 3],
          ["n1", 3],
        ]),
      ).values(),
    ).size,
    8,
  );
  assert.equal(colourOf({}, 8), "--s1");
  assert.equal(colourOf({ level: "warn" }, 0), "--lv-warn");
  assert.equal(colourOf({ isRest: true }, 0), "--line-3");
});

test("a heat map has six depths by the square root", () => {
  assert.deepEqual(
    [null, 0, 1, 2, 30, 840].map((value) => depthOf(value, 840)),
    [0, 0, 1, 1, 2, 6],
  );
  assert.equal(depthOf(1, 1), 6);
});

test("a click shows one series alone, another shows all; with Shift it hides one", () => {
  const series = ["a", "b", "c"].map((label) => ({ label, values: [] }));
  const alone = hiddenAfter(series, new Set(), "b", false);
  assert.deepEqual([...alone], ["a", "c"]);
  assert.deepEqual([...hiddenAfter(series, alone, "b", false)], []);
  assert.deepEqual([...hiddenAfter(series, alone, "a", false)], ["b", "c"]);
  assert.deepEqual([...hiddenAfter(series, new Set(), "a", true)], ["a"]);
  assert.deepEqual([...hiddenAfter(series, alone, "b", true)], []);
});

const data = {
  times: [0, 60],
  series: [
    { label: "a", values: [1, 5] },
    { label: "day before", values: [null, 4], isBefore: true },
  ],
};

test("the tooltip has the highest value first, then the period before and the change", () => {
  const stack = { times: [0], series: [3, 0, 9].map((value, index) => ({ label: `l${index}`, values: [value] })) };
  assert.deepEqual(
    rowsAt(stack, "stack", 0).map(({ series: { label } }) => label),
    ["l2", "l0"],
  );
  assert.deepEqual(
    rowsAt(data, "line", 1).map(({ series: { label } }) => label),
    ["a", "day before"],
  );
  assert.equal(changeOf(data, 1), "+25 %");
  assert.equal(changeOf(data, 0), null);
});

test("the sentence has the last, least and greatest value", () => {
  assert.equal(
    sentenceOf("Requests", { times: [0, 60], series: [{ label: "a", values: [1, 5] }] }, "line", "per-second"),
    "Requests: a last 5 /s, least 1 /s, most 5 /s.",
  );
  assert.equal(sentenceOf("Requests", { times: [], series: [] }, "line", "none"), "Requests: nothing to draw.");
});

test("a stack is as high as its sum, and bars end after their step", () => {
  const stack = { times: [0, 60], series: [3, 4].map((value) => ({ label: `l${value}`, values: [value, 1] })) };
  const scales = scalesOf({
    data: stack,
    mark: "stack",
    unit: "none",
    widthPx: 200,
    heightPx: 100,
    hasZero: false,
    also: [],
  });
  assert.deepEqual([scales.from, scales.to, scales.steps.low], [0, 120, 0]);
  assert.ok(scales.steps.high >= 7);
  assert.equal(scales.xPx(60), 100);
  assert.equal(scales.yPx(0), 100);
});
