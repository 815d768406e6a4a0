import assert from "node:assert/strict";
import { test } from "node:test";
import { changeOf, draftOf, losesOf } from "./days.ts";

const BEFORE = { logs: 30, metrics: null, traces: 7 };

test("only types with another value are changed, and empty is the default", () => {
  const draft = draftOf(BEFORE);
  assert.deepEqual(changeOf(BEFORE, draft), {});
  assert.deepEqual(changeOf(BEFORE, { ...draft, logs: "", metrics: "3" }), { logs: null, metrics: 3 });
});

test("a shorter time deletes rows, and a default may delete rows", () => {
  assert.deepEqual(losesOf(BEFORE, { logs: 10, metrics: 5, traces: 30 }), ["logs", "metrics"]);
  assert.deepEqual(losesOf(BEFORE, { logs: null, metrics: null }), ["logs"]);
  assert.deepEqual(losesOf(BEFORE, {}), []);
});
