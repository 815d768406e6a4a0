import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { logBatch, openTestStore, readMessages, temporaryDirectory, testSettings } from "./testing/store.ts";

async function gone(path: string): Promise<void> {
  for (let waited = 0; existsSync(path); waited += 5) {
    assert.ok(waited < 60_000, `${path} is still there`);
    await delay(5);
  }
}

test("a snapshot shows one moment: it has no rows that were appended later", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  await rows.append(logBatch("org_a", ["one"]));
  const before = await rows.snapshot("org_a");
  await rows.append(logBatch("org_a", ["two"]));
  const after = await rows.snapshot("org_a");
  const textOf = async (snapshot: typeof before) =>
    (await Promise.all(snapshot.tables.logs.hot.map(({ path }) => readFile(path, "utf8")))).join("");
  assert.equal((await textOf(before)).split("\n").length, 2);
  assert.equal((await textOf(after)).split("\n").length, 3);
  before.release();
  after.release();
  await close();
});

test("snapshots share their files while nothing is appended", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  await rows.append(logBatch("org_a", ["one"]));
  const [first, second] = await Promise.all([rows.snapshot("org_a"), rows.snapshot("org_a")]);
  assert.deepEqual(first.tables, second.tables);
  assert.equal(first.tables.logs.hot.length, 1);
  first.release();
  second.release();
  await close();
});

test("replaced files stay until the last snapshot releases them", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  await rows.append(logBatch("org_a", ["one"]));
  const first = await rows.snapshot("org_a");
  const second = await rows.snapshot("org_a");
  const path = first.tables.logs.hot[0]?.path ?? "";
  await rows.compact();
  first.release();
  first.release();
  assert.match(await readFile(path, "utf8"), /one/);
  second.release();
  await gone(path);
  await close();
});

test("an active file that was replaced is deleted once nobody reads it", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  await rows.append(logBatch("org_a", ["one"]));
  const first = await rows.snapshot("org_a");
  const path = first.tables.logs.hot[0]?.path ?? "";
  await rows.append(logBatch("org_a", ["two"]));
  const second = await rows.snapshot("org_a");
  assert.ok(existsSync(path));
  first.release();
  await gone(path);
  second.release();
  await close();
});

test("during appends and compactions every snapshot has each acknowledged row exactly once", async () => {
  await using dir = await temporaryDirectory();
  const settings = testSettings();
  const { rows, close } = await openTestStore(dir.path, {
    settings: {
      ...settings,
      segmentBytes: 64 * 1024,
      hotFileBytes: 8 * 1024,
      hotMemoryBytes: 16 * 1024,
      compaction: { ...settings.compaction, hotBytes: 16 * 1024, checkEveryMs: 5 },
    },
  });
  const acknowledged: string[] = [];
  let stop = false;
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; !stop; n++) {
      const messages = Array.from({ length: 20 }, (_, i) => `${writer}-${n}-${i}`);
      await rows.append(logBatch("org_a", messages));
      acknowledged.push(...messages);
      await delay(1);
    }
  };
  const writers = Array.from({ length: 4 }, (_, writer) => write(writer));
  let parquetSeen = 0;
  const deadline = performance.now() + 60_000;
  for (let round = 0; parquetSeen < 5; round++) {
    assert.ok(performance.now() < deadline, `${parquetSeen} Parquet files after ${round} rounds`);
    const due = acknowledged.slice();
    const found = await readMessages(rows, "org_a");
    const distinct = new Set(found);
    assert.equal(distinct.size, found.length, "a row is there twice");
    assert.deepEqual(
      due.filter((message) => !distinct.has(message)),
      [],
      "an acknowledged row is missing",
    );
    const snapshot = await rows.snapshot("org_a");
    parquetSeen = snapshot.tables.logs.parquet.length;
    snapshot.release();
    await delay(1);
  }
  stop = true;
  await Promise.all(writers);
  await close();
});
