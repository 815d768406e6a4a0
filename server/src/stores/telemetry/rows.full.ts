import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Problem } from "#kernel/problem.ts";
import {
  fileCounts,
  logBatch,
  openTestStore,
  readMessages,
  temporaryDirectory,
  testSettings,
} from "./testing/store.ts";

test("an appended batch is in the next snapshot of its organization only", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  assert.deepEqual(await store.rows.append(logBatch("org_a", ["one", "two"])), { accepted: 2, replayed: false });
  assert.deepEqual(await readMessages(store.rows, "org_a"), ["one", "two"]);
  assert.deepEqual(await readMessages(store.rows, "org_b"), []);
  await store.close();
});

test("a restart finds every row once, in order, and accepts more", async () => {
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

test("hot rows are moved to files at the limit of one table and of all tables", async () => {
  await using dir = await temporaryDirectory();
  const settings = testSettings({ hotFileBytes: 10_000, hotMemoryBytes: 30_000 });
  const { rows, close } = await openTestStore(dir.path, { settings });
  for (let i = 0; i < 40; i++) await rows.append(logBatch("org_a", [`${i} ${"x".repeat(1000)}`]));
  assert.ok((await fileCounts(rows, "org_a")).hot >= 4);
  for (let i = 0; i < 40; i++) await rows.append(logBatch(`org_${i}`, [`${i} ${"x".repeat(1000)}`]));
  assert.equal((await readMessages(rows, "org_a")).length, 40);
  for (let i = 0; i < 40; i++) assert.equal((await readMessages(rows, `org_${i}`)).length, 1);
  assert.equal(rows.health().hotRows, 80);
  await close();
});

test("an empty batch is accepted and writes nothing", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  assert.deepEqual(await rows.append(logBatch("org_a", [])), { accepted: 0, replayed: false });
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "wal")), []);
  await close();
});

test("a log that compaction can't shorten refuses batches", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path, {
    settings: testSettings({ logBytesMax: 2000, segmentBytes: 500 }),
  });
  let taken = 0;
  const fill = async (): Promise<void> => {
    for (; taken < 1000; taken++) await rows.append(logBatch("org_a", [`row ${taken}`]));
  };
  await assert.rejects(fill(), (error) => error instanceof Problem && error.code === "unavailable");
  assert.equal(rows.health().ok, false);
  await rows.compact();
  assert.equal((await rows.append(logBatch("org_a", ["after"]))).accepted, 1);
  assert.equal((await readMessages(rows, "org_a")).length, taken + 1);
  await close();
});

test("a long log is shortened by compacting the rows of its oldest segment", async () => {
  await using dir = await temporaryDirectory();
  const settings = testSettings({ segmentBytes: 500 });
  const compaction = { ...settings.compaction, logBytes: 5000, checkEveryMs: 20 };
  const { rows, close } = await openTestStore(dir.path, { settings: { ...settings, compaction } });
  for (let i = 0; i < 100; i++) await rows.append(logBatch(`org_${i % 3}`, [`row ${i}`]));
  const segments = async (): Promise<number> => (await readdir(join(dir.path, "telemetry", "wal"))).length;
  const deadline = performance.now() + 60_000;
  while ((await segments()) > 15) {
    assert.ok(performance.now() < deadline, `${await segments()} segments are left`);
    await delay(10);
  }
  const found = await Promise.all([0, 1, 2].map((i) => readMessages(rows, `org_${i}`)));
  assert.equal(new Set(found.flat()).size, 100);
  await close();
});

test("a second process can't open the directory until the first has closed it", async () => {
  await using dir = await temporaryDirectory();
  const first = await openTestStore(dir.path);
  await assert.rejects(
    openTestStore(dir.path),
    /cannot lock the telemetry directory: it is open in another process \(pid \d+\)/,
  );
  const other = `import { lockDirectory } from ${JSON.stringify(new URL("../directory/index.ts", import.meta.url).href)};
    lockDirectory(${JSON.stringify(join(dir.path, "telemetry", "lock"))}, "telemetry");`;
  const run = () => spawnSync(process.execPath, ["--input-type=module", "--eval", other], { encoding: "utf8" });
  assert.match(run().stderr, /cannot lock the telemetry directory/);
  await first.close();
  assert.equal(run().status, 0);
  await (await openTestStore(dir.path)).close();
});

test("a closed store refuses batches", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  await close();
  await assert.rejects(
    rows.append(logBatch("org_a", ["late"])),
    (error) => error instanceof Problem && error.code === "unavailable",
  );
});

test("an organization's name can't lead out of its folder", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  await assert.rejects(rows.append(logBatch("../org_a", ["one"])), /must be safe in a path/);
  await close();
});
