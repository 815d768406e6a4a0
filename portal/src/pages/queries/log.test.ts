import assert from "node:assert/strict";
import { test } from "node:test";
import { SLOW_REASONS } from "@mooring/contract";
import { logStatement, reasonsOf } from "./log.ts";

test("slow statements are listed with the slowest first, others with the newest first", () => {
  const slow = logStatement({ isSlow: true, period: "7" });
  assert.match(slow, /INTERVAL 7 DAY[^]*elapsed_ms >= 1000[^]*ORDER BY elapsed_ms DESC LIMIT 100$/);
  const all = logStatement({ isSlow: false, period: "1" });
  assert.match(all, /INTERVAL 1 DAY[^]*ORDER BY timestamp DESC/);
  assert.ok(!all.includes("elapsed_ms >= 1000"));
});

test("reasons are sentences; those of a newer server are left out", () => {
  assert.deepEqual(reasonsOf({ slow: '["waited","unheard"]' }), [SLOW_REASONS.waited]);
  assert.deepEqual(reasonsOf({ slow: ["no_range"] }), [SLOW_REASONS.no_range]);
  assert.deepEqual(reasonsOf({ slow: null }), []);
});
