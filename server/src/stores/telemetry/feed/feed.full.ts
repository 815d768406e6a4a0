import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TakenBatch } from "../index.ts";
import type { RowStore } from "../rows.ts";
import { logBatch, openTestStore, temporaryDirectory, testSettings } from "../testing/store.ts";

const TABLE = { orgId: "org_a", type: "logs" } as const;

function messagesOf({ rows }: TakenBatch): string[] {
  const lines = rows.toString().split("\n").slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { message: string }).message);
}

async function replayed({ feed }: RowStore, afterSeq = 0, throughSeq = feed.lastSeq): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of feed.replay(TABLE, afterSeq, throughSeq)) found.push(...messagesOf(batch));
  return found;
}

const numbered = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `m${from + i}`);

test("a listener gets each batch of its table in the order of acknowledgement, and only while it listens", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  const heard: TakenBatch[] = [];
  await rows.append(logBatch("org_a", ["before"]));
  const stop = rows.feed.watch(TABLE, (batch) => void heard.push(batch));
  for (const text of ["one", "two"]) {
    const append = rows.append(logBatch("org_a", [text, text])).then(() => heard.length);
    await rows.append(logBatch("org_b", ["another organization's"]));
    assert.equal(await append, text === "one" ? 1 : 2, "the listener gets the batch before the acknowledgement");
  }
  await rows.append({ ...logBatch("org_a", ["x"]), type: "traces" });
  stop();
  await rows.append(logBatch("org_a", ["after"]));
  assert.deepEqual(heard.flatMap(messagesOf), ["one", "one", "two", "two"]);
  assert.deepEqual(
    heard.map(({ count }) => count),
    [2, 2],
  );
  assert.ok((heard[0]?.seq ?? 0) < (heard[1]?.seq ?? 0));
  await close();
});

test("a listener that throws affects neither the batch nor the other listeners", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  rows.feed.watch(TABLE, () => {
    throw new Error("on purpose");
  });
  const heard: TakenBatch[] = [];
  rows.feed.watch(TABLE, (batch) => void heard.push(batch));
  assert.equal((await rows.append(logBatch("org_a", ["one"]))).accepted, 1);
  assert.equal(heard.length, 1);
  await close();
});

test("watched batches are replayed after any number, across segments and other tables' batches, also after a restart", async () => {
  await using dir = await temporaryDirectory();
  const settings = testSettings({ segmentBytes: 2000 });
  const first = await openTestStore(dir.path, { settings });
  const heard: TakenBatch[] = [];
  first.rows.feed.watch(TABLE, (batch) => void heard.push(batch));
  for (let i = 0; i < 60; i++) {
    await Promise.all([
      first.rows.append(logBatch("org_a", numbered(i * 3, 1 + (i % 3)))),
      first.rows.append(logBatch("org_b", ["another organization's"])),
    ]);
  }
  const { lastSeq, id } = first.rows.feed;
  const check = async (rows: RowStore): Promise<void> => {
    for (let after = 0; after <= lastSeq; after += 7) {
      const expected = heard.filter(({ seq }) => seq > after).flatMap(messagesOf);
      assert.deepEqual(await replayed(rows, after), expected, `after ${after}`);
    }
    const some = heard.filter(({ seq }) => seq > 10 && seq <= 40).flatMap(messagesOf);
    assert.deepEqual(await replayed(rows, 10, 40), some);
    assert.equal(rows.feed.keptAfter(TABLE), 0);
  };
  await check(first.rows);
  await first.close();
  const second = await openTestStore(dir.path, { settings });
  assert.deepEqual([second.rows.feed.lastSeq, second.rows.feed.id], [lastSeq, id]);
  await check(second.rows);
  await second.close();
});

test("batches larger than one read, and small ones around them", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  const texts = ["small", "x".repeat(5_000_000), "small again", "y".repeat(1_048_576), "last"];
  for (const text of texts) await rows.append(logBatch("org_a", [text]));
  assert.deepEqual(await replayed(rows), texts);
  await close();
});

test("a replay during writes has each batch up to the requested number, once and in order", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path, { settings: testSettings({ segmentBytes: 20_000 }) });
  const heard: TakenBatch[] = [];
  rows.feed.watch(TABLE, (batch) => void heard.push(batch));
  let running = true;
  const writers = Array.from({ length: 4 }, async (_, w) => {
    for (let i = 0; running; i++) await rows.append(logBatch("org_a", [`w${w} ${i}`]));
  });
  for (let round = 0; round < 20; round++) {
    const through = rows.feed.lastSeq;
    const after = Math.floor(through / 2);
    const expected = heard.filter(({ seq }) => seq > after && seq <= through).flatMap(messagesOf);
    assert.deepEqual(await replayed(rows, after, through), expected);
  }
  running = false;
  await Promise.all(writers);
  await close();
});

test("batches that left the log are not replayed, and the feed reports its first complete number", async () => {
  await using dir = await temporaryDirectory();
  const first = await openTestStore(dir.path, { settings: testSettings({ segmentBytes: 500 }) });
  for (const text of numbered(0, 10)) await first.rows.append(logBatch("org_a", [text]));
  await first.rows.append(logBatch("org_b", ["another organization's"]));
  const leftSeq = first.rows.feed.lastSeq - 1;
  await first.rows.compact();
  await first.rows.append(logBatch("org_a", ["m10"]));
  await first.rows.compact();
  await first.rows.append(logBatch("org_a", ["m11"]));
  const { feed } = first.rows;
  assert.ok(feed.keptAfter(TABLE) >= leftSeq);
  assert.deepEqual(await replayed(first.rows, 0), [], "the replay ends before the missing batch");
  assert.deepEqual(await replayed(first.rows, feed.keptAfter(TABLE)), ["m10", "m11"], "the active segment stays");
  assert.equal(feed.keptAfter({ orgId: "org_c", type: "logs" }), 0, "a table without batches misses nothing");
  await first.close();
  const second = await openTestStore(dir.path);
  assert.ok(second.rows.feed.keptAfter(TABLE) >= leftSeq);
  assert.deepEqual((await replayed(second.rows, second.rows.feed.keptAfter(TABLE))).at(-1), "m11");
  await second.close();
});

test("damaged bytes lose only their batch", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  for (const text of ["one", "two", "three"]) await rows.append(logBatch("org_a", [text]));
  const wal = join(dir.path, "telemetry", "wal");
  const path = join(wal, (await readdir(wal))[0] ?? "");
  const bytes = await readFile(path);
  bytes[bytes.indexOf("two")] = 0x78;
  await writeFile(path, bytes);
  assert.deepEqual(await replayed(rows), ["one", "three"]);
  await close();
});

test("rows in Parquet stay in the log for a while, unless the log grows too long", async () => {
  await using dir = await temporaryDirectory();
  let nowMs = 1_000_000;
  const clock = { nowMs: () => nowMs };
  const settings = testSettings({ segmentBytes: 500, replayMs: 60_000, replayBytes: 3000 });
  const { rows, close } = await openTestStore(dir.path, { settings, clock });
  const messages = numbered(0, 10);
  for (const text of messages) await rows.append(logBatch("org_a", [text]));
  await rows.compact();
  assert.equal(rows.feed.keptAfter(TABLE), 0);
  assert.deepEqual(await replayed(rows), messages);
  nowMs += 60_000;
  await rows.append(logBatch("org_a", ["later"]));
  await rows.compact();
  assert.ok(rows.feed.keptAfter(TABLE) > 0, "a minute is over");
  assert.equal((await replayed(rows, rows.feed.keptAfter(TABLE))).at(-1), "later");
  for (let i = 0; i < 10; i++) await rows.append(logBatch("org_a", ["x".repeat(1000)]));
  await rows.compact();
  const kept = await replayed(rows, rows.feed.keptAfter(TABLE));
  assert.ok(kept.length >= 2 && kept.length <= 4, `${kept.length} are in 3000 bytes`);
  await close();
});
