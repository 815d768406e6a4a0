import assert from "node:assert/strict";
import { test } from "node:test";
import { TEST_ORIGIN } from "../testing/origin.ts";
import type { QueryEvent } from "../types.ts";
import { slowReasons } from "./event.ts";
import { ScanBudget } from "./scan-budget.ts";

const MIB = 1024 * 1024;
const FAST: Omit<QueryEvent, "slow"> = {
  id: "stmt_1",
  orgId: "org_1",
  origin: TEST_ORIGIN,
  sql: "SELECT 1",
  sqlHash: "",
  state: "done",
  refusal: null,
  code: null,
  detail: null,
  cancelledBy: null,
  askedAtMs: 0,
  waitMs: 0,
  planMs: 5,
  runMs: 20,
  sendMs: 0,
  elapsedMs: 25,
  tables: ["logs"],
  fromUs: null,
  toUs: null,
  rowsRead: 10,
  bytesRead: 1000,
  filesRead: 3,
  filesSkipped: 0,
  rowsOut: 1,
  bytesOut: 10,
  memoryPeakBytes: 10 * MIB,
};

const why = (change: Partial<QueryEvent>): string => slowReasons({ ...FAST, ...change }, 1024 * MIB).join();

test("the reasons for a slow query name the longest part first, and what would shorten it", () => {
  assert.equal(why({}), "", "a fast query has none");
  assert.equal(why({ elapsedMs: 4000, waitMs: 3900 }), "waited");
  assert.equal(why({ elapsedMs: 4000, sendMs: 3900 }), "slow_reader");
  assert.equal(why({ elapsedMs: 4000, runMs: 4000, bytesRead: 900 * MIB }), "scanned_much,no_range");
  assert.equal(why({ elapsedMs: 4000, runMs: 4000, bytesRead: 900 * MIB, fromUs: 1 }), "scanned_much");
  assert.equal(why({ elapsedMs: 4000, runMs: 4000, fromUs: 1, filesRead: 500 }), "many_files");
  assert.equal(why({ elapsedMs: 4000, runMs: 4000, fromUs: 1, memoryPeakBytes: 1000 * MIB }), "memory");
  assert.equal(why({ elapsedMs: 4000, runMs: 4000, fromUs: 1 }), "computation");
  assert.equal(why({ elapsedMs: 4000, runMs: 2500, waitMs: 1500, fromUs: 1 }), "computation,waited");
});

test("a statement and an actor's day have a limit of bytes, and the refusal has the numbers", () => {
  let nowMs = 0;
  const budget = new ScanBudget({ scanBytesMax: 100, scanBytesPerDayMax: 150 }, { nowMs: () => nowMs });
  const one = { orgId: "org_1", origin: TEST_ORIGIN };
  const other = { orgId: "org_1", origin: { ...TEST_ORIGIN, actor: { kind: "person", id: "user_1" } } } as const;
  budget.spend(one, 100);
  assert.throws(() => budget.spend(one, 101), { code: "query_scan_limit", message: /101 bytes.*may read 100/ });
  assert.throws(() => budget.spend(one, 51), /you have read 100 today, and may read 150/);
  budget.spend(one, 50);
  budget.spend(other, 100);
  nowMs += 86_400_000;
  budget.spend(one, 100);
  const free = new ScanBudget({ scanBytesMax: null, scanBytesPerDayMax: null }, { nowMs: () => 0 });
  free.spend(one, Number.MAX_SAFE_INTEGER);
});
