import assert from "node:assert/strict";
import { test } from "node:test";
import { AskedAttributes } from "./asked.ts";

test("the most queried keys of the table come first, and old queries count less", () => {
  let now = 0;
  const asked = new AskedAttributes({ nowMs: () => now });
  for (let i = 0; i < 5; i++) asked.note("org_a", "logs", ["old"]);
  asked.note("org_a", "logs", ["new", "$.path", ""]);
  assert.deepEqual(asked.of("org_a", "logs"), ["old", "new"]);
  assert.deepEqual(asked.of("org_a", "traces"), []);
  assert.deepEqual(asked.of("org_b", "logs"), []);
  now = 5 * 86_400_000;
  asked.note("org_a", "logs", ["new"]);
  assert.deepEqual(asked.of("org_a", "logs"), ["new", "old"]);
});

test("a thousand keys need no more memory than the best of them", () => {
  const asked = new AskedAttributes({ nowMs: () => 0 });
  for (let i = 0; i < 3; i++) asked.note("org_a", "logs", ["often"]);
  for (let i = 0; i < 1000; i++) asked.note("org_a", "logs", [`key ${i}`]);
  assert.equal(asked.of("org_a", "logs").length, 16);
  assert.equal(asked.of("org_a", "logs")[0], "often");
});
