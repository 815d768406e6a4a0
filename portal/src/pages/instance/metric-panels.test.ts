import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { classesOf, failuresOf, joined, PANELS, totalOf } from "./metric-panels.ts";

test("the server has every metric of the page, with its label", () => {
  const table = readFileSync(new URL("../../../../docs/reference/metrics.md", import.meta.url), "utf8");
  for (const [, { name, by }] of PANELS.flatMap(({ plots }) => plots)) {
    const row = table.split("\n").find((line) => line.startsWith(`| \`${name.replace(/_bucket$/, "")}\``));
    assert.ok(row !== undefined, name);
    assert.equal(name.endsWith("_bucket"), row.includes("| histogram |"), name);
    assert.ok(by === null || row.includes(`\`${by}\``), `${name} by ${String(by)}`);
  }
});

test("answers are added up by class of status, the failures at the base", () => {
  const series = [
    { label: "200", values: [5, null] },
    { label: "404", values: [1, 2] },
    { label: "204", values: [2, 3] },
    { label: "503", values: [null, 1] },
  ];
  assert.deepEqual(classesOf({ times: [0, 60], series }).series, [
    { label: "5xx", level: "error", values: [0, 1] },
    { label: "4xx", level: "warn", values: [1, 2] },
    { label: "2xx", level: "info", values: [7, 3] },
  ]);
});

test("several plots share one axis of times", () => {
  const of = (label: string, times: number[]) => ({ times, series: [{ label, values: times.map(() => 1) }] });
  assert.deepEqual(joined([of("a", [0, 60]), of("b", [60, 120])]), {
    times: [0, 60, 120],
    series: [
      { label: "a", values: [1, 1, null] },
      { label: "b", values: [null, 1, 1] },
    ],
  });
  assert.deepEqual(joined([]), { times: [], series: [] });
});

test("the share of failures is of the whole range, and unknown without answers", () => {
  const answers = {
    times: [0, 60],
    series: [
      { label: "5xx", values: [1, null] },
      { label: "2xx", values: [9, 10] },
    ],
  };
  assert.deepEqual(totalOf(answers), [10, 10]);
  assert.deepEqual(failuresOf(answers), { percent: 5, values: [1, null] });
  assert.deepEqual(failuresOf({ times: [0], series: [] }), { percent: null, values: [0] });
});
