import assert from "node:assert/strict";
import { test } from "node:test";
import { traceOf, visibleRows } from "./trace-tree.ts";
import { moveOf } from "./tree-keys.ts";

const NONE: ReadonlySet<string> = new Set();
const common = { name: "n", service: "", kind: "", status: "ok", durationMs: 1, attributes: {} };
const { roots } = traceOf([
  { ...common, spanId: "a", parentId: "", startMs: 0 },
  { ...common, spanId: "b", parentId: "a", startMs: 1 },
  { ...common, spanId: "c", parentId: "b", startMs: 2 },
  { ...common, spanId: "d", parentId: "a", startMs: 3 },
]);
const rows = visibleRows(roots, NONE);

test("up and down stop at the ends", () => {
  assert.deepEqual(moveOf("j", rows, 3, NONE), { to: 3 });
  assert.deepEqual(moveOf("ArrowUp", rows, 0, NONE), { to: 0 });
  assert.deepEqual(moveOf("End", rows, 0, NONE), { to: 3 });
});

test("left folds, then goes to the parent; right unfolds, then goes to the first child", () => {
  assert.deepEqual(moveOf("ArrowLeft", rows, 1, NONE), { fold: { key: "b", isFolded: true } });
  assert.deepEqual(moveOf("ArrowLeft", rows, 3, NONE), { to: 0 });
  assert.deepEqual(moveOf("ArrowRight", rows, 1, NONE), { to: 2 });
  assert.deepEqual(moveOf("ArrowRight", visibleRows(roots, new Set(["b"])), 1, new Set(["b"])), {
    fold: { key: "b", isFolded: false },
  });
});

test("Enter opens a span, and other keys are ignored", () => {
  assert.deepEqual(moveOf("Enter", rows, 2, NONE), { open: "c" });
  assert.equal(moveOf("x", rows, 2, NONE), null);
  assert.equal(moveOf("j", [], 0, NONE), null);
});
