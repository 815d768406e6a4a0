import assert from "node:assert/strict";
import { test } from "node:test";
import { HISTORY_MAX, readHistory, withRun, withStar, writeHistory, type PastRun } from "./history.ts";

const run = (sql: string) => ({ sql, at: "2026-11-20T08:00:00Z", rows: 1, elapsedMs: 2 });

test("the latest statement is first, each appears once, and keeps its star", () => {
  const runs = withStar(withRun(withRun([], run("a")), run("b")), "a");
  const again = withRun(runs, run("a"));
  assert.deepEqual(
    again.map(({ sql, starred }) => [sql, starred]),
    [
      ["a", true],
      ["b", false],
    ],
  );
});

test("old statements are deleted, except those with a star", () => {
  let runs: PastRun[] = withStar(withRun([], run("first")), "first");
  for (let i = 0; i < HISTORY_MAX + 5; i++) runs = withRun(runs, run(String(i)));
  assert.equal(runs.length, HISTORY_MAX + 1);
  assert.equal(runs.at(-1)?.sql, "first");
});

test("each person has a history in each organization, and a broken store has none", () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  writeHistory(store, "user_1.acme", withRun([], run("a")));
  assert.equal(readHistory(store, "user_1.acme").length, 1);
  assert.equal(readHistory(store, "user_2.acme").length, 0);
  kept.set("mooring.sql-history.user_1.acme", "{");
  assert.deepEqual(readHistory(store, "user_1.acme"), []);
});
