import assert from "node:assert/strict";
import { test } from "node:test";
import { textsOf } from "./search-text.ts";

test("what looks like a number in an address is the text that it was", () => {
  assert.deepEqual(textsOf({ prefix: 2026, q: "a", create: true }), { prefix: "2026", q: "a", create: true });
});
