import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLines } from "./json-lines.ts";

const VALUE = { a: 1, "b/c~": [true, null, { d: "x=y" }], e: {}, f: [], "g=": 2 };

test("the lines equal those of JSON.stringify", () => {
  const lines = jsonLines(VALUE, 1000);
  assert.equal(lines.map(({ text }) => text).join("\n"), JSON.stringify(VALUE, null, 2));
  assert.equal(jsonLines("x", 10)[0]?.text, '"x"');
});

test("scalars have the pointer that selects them", () => {
  const pointers = jsonLines(VALUE, 1000).flatMap(({ pointer }) => (pointer === null ? [] : [pointer]));
  assert.deepEqual(pointers, ["/a=1", "/b~1c~0/0=true", "/b~1c~0/1=null", "/b~1c~0/2/d=x=y"]);
});

test("the number of lines has a limit", () => {
  assert.equal(
    jsonLines(
      Array.from({ length: 100 }, () => ({ a: 1 })),
      7,
    ).length,
    7,
  );
});
