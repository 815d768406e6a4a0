import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText, compareValues, inOrder, kindOf, rowText, startWidth, wholeText } from "./grid-values.ts";

test("the type of a column decides how values are shown", () => {
  for (const type of ["BIGINT", "UTINYINT", "HUGEINT", "DOUBLE", "DECIMAL(10,2)", "INTEGER"])
    assert.equal(kindOf(type), "number", type);
  for (const type of ["TIMESTAMP WITH TIME ZONE", "DATE", "TIMESTAMP_NS", "TIME"])
    assert.equal(kindOf(type), "time", type);
  for (const type of ["JSON", "MAP(VARCHAR, VARCHAR)", "INTEGER[]", "STRUCT(a INTEGER)"])
    assert.equal(kindOf(type), "object", type);
  assert.equal(kindOf("VARCHAR"), "text");
  assert.equal(kindOf("INTERVAL"), "text");
});

test("a cell has one line, details have many", () => {
  assert.equal(cellText(null), "NULL");
  assert.equal(cellText({ a: [1] }), '{"a":[1]}');
  assert.equal(wholeText('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(wholeText("[broken"), "[broken");
  assert.equal(rowText([null, "a\tb", 1]), "\ta b\t1");
});

test("rows are sorted by typed values, NULL last", () => {
  const sorted = (kind: "number" | "text", values: unknown[]): unknown[] =>
    values.toSorted((a, b) => compareValues(kind, a, b));
  assert.deepEqual(sorted("number", [10, null, 9, "9007199254740993", "9007199254740992"]), [
    9,
    10,
    "9007199254740992",
    "9007199254740993",
    null,
  ]);
  assert.deepEqual(sorted("text", ["b", null, "a"]), ["a", "b", null]);
});

test("columns begin with the width of their content, within bounds", () => {
  assert.equal(startWidth("n", ["1"]), 72);
  assert.equal(startWidth("n", ["x".repeat(500)]), 420);
});

test("rows are ordered by one column after the other", () => {
  const rows = [
    { level: "info", ms: 2 },
    { level: "error", ms: 10 },
    { level: "info", ms: 9 },
  ];
  assert.equal(inOrder(rows, []), rows);
  const order = inOrder(rows, [
    { name: "level", kind: "text", desc: false },
    { name: "ms", kind: "number", desc: true },
  ]);
  assert.deepEqual(
    order.map(({ ms }) => ms),
    [10, 9, 2],
  );
});
