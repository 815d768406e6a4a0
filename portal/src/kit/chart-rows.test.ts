import assert from "node:assert/strict";
import { test } from "node:test";
import { numberOf, objectOf, textOf } from "./chart-rows.ts";

test("columns have the requested type for every content", () => {
  const row = { n: 1.5, big: "9007199254740993", none: null, map: { a: 1 }, json: '{"b":2}', list: "[1]", broken: "{" };
  assert.deepEqual([numberOf(row, "n"), numberOf(row, "big")], [1.5, 9_007_199_254_740_992]);
  assert.ok(Number.isNaN(numberOf(row, "none")) && Number.isNaN(numberOf(row, "absent")));
  assert.deepEqual([textOf(row, "n"), textOf(row, "none"), textOf(row, "map")], ["1.5", "", ""]);
  assert.deepEqual([objectOf(row, "map"), objectOf(row, "json")], [{ a: 1 }, { b: 2 }]);
  assert.deepEqual([objectOf(row, "list"), objectOf(row, "broken"), objectOf(row, "none")], [{}, {}, {}]);
});
