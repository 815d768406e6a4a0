import assert from "node:assert/strict";
import { test } from "node:test";
import { textsOf } from "./search-text.ts";

test("a number in an address stays the text that was typed", () => {
  assert.deepEqual(textsOf({ prefix: 2026, q: "a", create: true }), { prefix: "2026", q: "a", create: true });
});
