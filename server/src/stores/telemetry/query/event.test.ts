import assert from "node:assert/strict";
import { test } from "node:test";
import { TEST_ORIGIN } from "../testing/origin.ts";
import type { QueryEvent } from "../types.ts";
import { slowReasons } from "./event.ts";
import { RecentQueries } from "./recent.ts";
import { ScanBudget } from "./scan-budget.ts";

const MIB = 1024 * 1024;
const FAST: Omit<QueryEvent, "slow"> = {
  id: "stmt_1",
  orgId: "org_1",
  origin: TEST_ORIGIN,
  sql: "SELECT 1",
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

test("the last queries are bounded, keep slow ones, end after a day, and forget a deleted person", () => {
  let nowMs = 0;
  const recent = new RecentQueries({ nowMs: () => nowMs });
  const event = (n: number, change: Partial<QueryEvent> = {}): QueryEvent => ({
    ...FAST,
    slow: [],
    id: `stmt_${String(n).padStart(6, "0")}`,
    sql: "x".repeat(10_000),
    ...change,
  });
  recent.add(event(0, { slow: ["waited"] }));
  for (let n = 1; n <= 500; n++) recent.add(event(n));
  const all = recent.list("org_1");
  assert.equal(all.length, 201);
  assert.deepEqual(
    [all[0]?.id, all.at(-1)?.id],
    ["stmt_000500", "stmt_000000"],
    "newest first, and the slow one stays",
  );
  assert.equal(all[0]?.sql.length, 4096);
  for (let n = 0; n < 3000; n++) recent.add(event(n, { orgId: `org_x${n}` }));
  assert.deepEqual(recent.list("org_1"), [], "the organization that was idle for longest is dropped");
  const person = { ...TEST_ORIGIN, actor: { kind: "person", id: "user_1" } } as const;
  recent.add(event(1, { orgId: "org_2", origin: person }));
  recent.add(event(2, { orgId: "org_2" }));
  recent.forgetActor("user_1");
  assert.deepEqual(
    recent.list("org_2").map(({ id }) => id),
    ["stmt_000002"],
  );
  nowMs += 86_400_001;
  assert.deepEqual(recent.list("org_2"), []);
});
