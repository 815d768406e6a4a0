import assert from "node:assert/strict";
import { test } from "node:test";
import { choosePromoted, PROMOTED_MAX, spread } from "./promote.ts";

const sample = (of: (n: number) => unknown, count = 200): string[] =>
  Array.from({ length: count }, (_, n) => JSON.stringify(of(n)));

test("keys of many rows with short, repeated values get a column, the most frequent first", () => {
  const rows = sample((n) => ({
    method: n % 3 === 0 ? "GET" : "POST",
    ...(n % 2 === 0 ? { status: n % 5 } : {}),
    ...(n % 30 === 0 ? { rare: "yes" } : {}),
    request: `unique ${n}`,
    text: `${n % 2}${"x".repeat(100)}`,
    $path: "a",
    "/path": "a",
    "*": "a",
    "back\\slash": "a",
  }));
  assert.deepEqual(choosePromoted(rows, []), ["method", "status"]);
});

test("queried keys come first, with any values; paths do not count", () => {
  const rows = sample((n) => ({ method: "GET", request: `unique ${n}` }));
  assert.deepEqual(choosePromoted(rows, ["request", "absent", "$.a"]), ["request", "absent", "method"]);
});

test("the number of columns is limited, and few rows promote nothing by themselves", () => {
  const wide = sample(() => Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key ${i}`, 1])));
  assert.equal(choosePromoted(wide, ["asked"]).length, PROMOTED_MAX);
  assert.deepEqual(choosePromoted(wide.slice(0, 50), ["asked"]), ["asked"]);
});

test("rows without attributes, or with attributes that are not objects, are skipped", () => {
  const rows = [...sample(() => ({ a: null })), ...sample(() => [1]), ...sample(() => "text"), "", "{not json"];
  assert.deepEqual(choosePromoted(rows, []), ["a"]);
});

test("a sample takes rows from everywhere", () => {
  assert.deepEqual(spread([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 3), [0, 3, 6]);
  assert.deepEqual(spread([1, 2], 5), [1, 2]);
  assert.deepEqual(spread([], 5), []);
});
