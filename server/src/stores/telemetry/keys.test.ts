import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { IDEMPOTENCY_WINDOW_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { faultyFiles, type Fault } from "./testing/log.ts";
import { logBatch, openTestStore, readMessages, temporaryDirectory } from "./testing/store.ts";

const key = { keyHash: "k1", bodyHash: "b1" };
const batch = () => logBatch("org_a", ["one", "two"], key);
const taken = { accepted: 2, replayed: false };
const replayed = { accepted: 2, replayed: true };
const isReused = (error: unknown): boolean => error instanceof Problem && error.code === "idempotency_key_reused";

test("a key and body are accepted once; another body is refused; another table or organization does not know the key", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  assert.deepEqual(await rows.append(batch()), taken);
  assert.deepEqual(await rows.append(batch()), replayed);
  await assert.rejects(rows.append(logBatch("org_a", ["three"], { ...key, bodyHash: "b2" })), isReused);
  assert.deepEqual(await rows.append({ ...batch(), type: "traces" }), taken);
  assert.deepEqual(await rows.append({ ...batch(), orgId: "org_b" }), taken);
  assert.deepEqual(await readMessages(rows, "org_a"), ["one", "two"]);
  await close();
});

test("one of many concurrent batches with one key is written", async () => {
  await using dir = await temporaryDirectory();
  const { rows, close } = await openTestStore(dir.path);
  const answers = await Promise.all(Array.from({ length: 50 }, () => rows.append(batch())));
  assert.equal(answers.filter((answer) => !answer.replayed).length, 1);
  assert.deepEqual(await readMessages(rows, "org_a"), ["one", "two"]);
  await close();
});

test("a key whose batch could not be written is free", async () => {
  await using dir = await temporaryDirectory();
  const faults = new Set<Fault>(["write"]);
  const { rows, close } = await openTestStore(dir.path, { createSegment: faultyFiles(faults) });
  const attempts = [rows.append(batch()), rows.append(batch())];
  for (const { status } of await Promise.allSettled(attempts)) assert.equal(status, "rejected");
  faults.clear();
  assert.deepEqual(await rows.append(batch()), taken);
  await close();
});

test("keys outlive a restart, and the segment of the log that held them", async () => {
  await using dir = await temporaryDirectory();
  const wal = join(dir.path, "telemetry", "wal");
  let store = await openTestStore(dir.path);
  await store.rows.append(batch());
  await store.close();
  const [first] = await readdir(wal);
  store = await openTestStore(dir.path);
  assert.deepEqual(await store.rows.append(batch()), replayed);
  await store.rows.compact();
  assert.ok(!(await readdir(wal)).includes(first ?? ""), "the segment is gone");
  assert.deepEqual(await store.rows.append(batch()), replayed);
  await store.close();
  store = await openTestStore(dir.path);
  assert.deepEqual(await store.rows.append(batch()), replayed);
  await assert.rejects(store.rows.append(logBatch("org_a", ["three"], { ...key, bodyHash: "b2" })), isReused);
  assert.deepEqual(await readMessages(store.rows, "org_a"), ["one", "two"]);
  await store.close();
});

for (const where of ["log", "database"] as const) {
  test(`a key in the ${where} is remembered for exactly 24 hours`, async () => {
    await using dir = await temporaryDirectory();
    let nowMs = 1_800_000_000_000;
    const clock = { nowMs: () => nowMs };
    let store = await openTestStore(dir.path, { clock });
    await store.rows.append(batch());
    if (where === "database") {
      await store.close();
      store = await openTestStore(dir.path, { clock });
      await store.rows.compact();
    }
    nowMs += IDEMPOTENCY_WINDOW_MS;
    assert.deepEqual(await store.rows.append(batch()), replayed);
    nowMs += 1;
    assert.deepEqual(await store.rows.append(batch()), taken);
    assert.deepEqual(await store.rows.append(batch()), replayed);
    await store.close();
  });
}

test("a key with a shorter window is remembered that long, in the log and in the database", async () => {
  await using dir = await temporaryDirectory();
  let nowMs = 1_800_000_000_000;
  const clock = { nowMs: () => nowMs };
  const short = logBatch("org_a", ["one", "two"], { ...key, windowMs: 60_000 });
  let store = await openTestStore(dir.path, { clock });
  assert.deepEqual(await store.rows.append(short), taken);
  nowMs += 60_000;
  assert.deepEqual(await store.rows.append(short), replayed);
  await store.close();
  store = await openTestStore(dir.path, { clock });
  await store.rows.compact();
  assert.deepEqual(await store.rows.append(short), replayed);
  nowMs += 1;
  assert.deepEqual(await store.rows.append(short), taken);
  await store.close();
});
