import assert from "node:assert/strict";
import { test } from "node:test";
import { exceeds } from "./json-size.ts";

const LIMITS = { depthMax: 4, valuesMax: 10 };
const of = (text: string): ReturnType<typeof exceeds> => exceeds(Buffer.from(text), LIMITS);

test("counts values and nesting, at the limit and one past it", () => {
  assert.equal(of("[[[[]]]]"), undefined);
  assert.equal(of("[[[[[]]]]]"), "depth");
  assert.equal(of(`[${"1,".repeat(8)}1]`), undefined);
  assert.equal(of(`[${"1,".repeat(9)}1]`), "values");
  assert.equal(of(`{"a":[{},{},{},{},{}]}`), "values");
});

test("skips the content of strings", () => {
  assert.equal(of(`["${"[{,".repeat(100)}"]`), undefined);
  assert.equal(of(`["\\"[[[[[[","\\\\",[]]`), undefined);
  assert.equal(of(`["\\\\",[[[[[]]]]]]`), "depth");
  assert.equal(of(`"without an end ${"[".repeat(100)}`), undefined);
});
