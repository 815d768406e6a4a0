import assert from "node:assert/strict";
import { test } from "node:test";
import { quotaState } from "./quota.ts";

test("a quota warns before it is full", () => {
  assert.deepEqual(quotaState(79, 100), { kind: "go", share: 0.79, text: "79 B of 100 B" });
  assert.equal(quotaState(80, 100).kind, "warn");
  assert.equal(quotaState(95, 100).kind, "stop");
  assert.deepEqual(quotaState(300, 100).share, 1);
  assert.equal(quotaState(0, 0).kind, "stop");
});

test("usage without a quota is never full", () => {
  assert.deepEqual(quotaState(2048, null), { kind: "none", share: null, text: "2.00 KiB, no limit" });
});
