import assert from "node:assert/strict";
import { test } from "node:test";
import { diskKind, nodeState, shareText } from "./lag.ts";

const NOW = new Date("2026-01-10T12:00:00Z");
const SEEN = "2026-01-10T11:59:58Z";

test("a node's state follows from its lag and its last heartbeat", () => {
  const states = [
    [{ applied_change: 9, seen_at: SEEN }, "up to date"],
    [{ applied_change: 8, seen_at: SEEN }, "1 change behind"],
    [{ applied_change: 2, seen_at: SEEN }, "7 changes behind"],
    [{ applied_change: 10, seen_at: SEEN }, "up to date"],
    [{ applied_change: 9, seen_at: "2026-01-10T11:59:00Z" }, "stopped or disconnected"],
  ] as const;
  for (const [node, text] of states) assert.equal(nodeState(node, 9, NOW).text, text);
});

test("a disk is nearly full by its share or by its free bytes", () => {
  const GIB = 1024 ** 3;
  assert.equal(diskKind(60 * GIB, 100 * GIB), "go");
  assert.equal(diskKind(8 * GIB, 100 * GIB), "warn");
  assert.equal(diskKind(2 * GIB, 100 * GIB), "stop");
  assert.equal(diskKind(80 * GIB, 1000 * GIB), "go");
  assert.equal(diskKind(0, 0), "stop");
  assert.equal(shareText(1, 3), "33 %");
});
