import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileCounts, logBatch, openTestStore, readMessages, temporaryDirectory } from "./testing/store.ts";

test("an appended batch is in the next snapshot, of its organization only", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  assert.deepEqual(await store.rows.append(logBatch("org_a", ["one", "two"])), { accepted: 2, replayed: false });
  assert.deepEqual(await readMessages(store.rows, "org_a"), ["one", "two"]);
  assert.deepEqual(await readMessages(store.rows, "org_b"), []);
  await store.close();
});

test("a restart finds everything once, in order, and goes on", async () => {
  await using dir = await temporaryDirectory();
  let store = await openTestStore(dir.path);
  await store.rows.append(logBatch("org_a", ["one"]));
  await store.rows.append(logBatch("org_b", ["other"]));
  await store.close();
  store = await openTestStore(dir.path);
  await store.rows.append(logBatch("org_a", ["two"]));
  assert.deepEqual(await readMessages(store.rows, "org_a"), ["one", "two"]);
  await store.close();
  store = await openTestStore(dir.path);
  assert.deepEqual(await readMessages(store.rows, "org_a"), ["one", "two"]);
  assert.deepEqual(await readMessages(store.rows, "org_b"), ["other"]);
  await store.close();
});

test("compaction moves rows to Parquet, shortens the log, and survives a restart", async () => {
  await using dir = await temporaryDirectory();
  let store = await openTestStore(dir.path);
  await store.rows.append(logBatch("org_a", ["one", "two"]));
  await store.rows.compact();
  assert.deepEqual(await fileCounts(store.rows, "org_a"), { parquet: 1, hot: 0 });
  assert.deepEqual(await readMessages(store.rows, "org_a"), ["one", "two"]);
  await store.rows.append(logBatch("org_a", ["three"]));
  assert.deepEqual((await readMessages(store.rows, "org_a")).toSorted(), ["one", "three", "two"]);
  await store.rows.compact();
  await store.rows.append(logBatch("org_a", ["four"]));
  assert.equal((await readdir(join(dir.path, "telemetry", "wal"))).length, 2, "the first segment is gone");
  await store.close();
  store = await openTestStore(dir.path);
  assert.deepEqual((await readMessages(store.rows, "org_a")).toSorted(), ["four", "one", "three", "two"]);
  await store.close();
});
