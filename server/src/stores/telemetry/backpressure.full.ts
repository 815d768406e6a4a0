import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { Backpressure, DELAY_MS_MAX } from "./backpressure.ts";
import type { CompactionRunner } from "./compaction/protocol.ts";
import { logBatch, openTestStore, recordingLog, temporaryDirectory, testSettings } from "./testing/store.ts";

const MIB = 1024 * 1024;
const BACKLOG = 512 * MIB;

/** A backlog without files, and its clock. */
function backlogOf(bytesOf: Record<string, number>) {
  const hotBytesOf = new Map(Object.entries(bytesOf));
  const hot = {
    hotBytesOf,
    get hotBytes() {
      return hotBytesOf.values().reduce((sum, bytes) => sum + bytes, 0);
    },
  };
  const time = { ms: 0 };
  const log = recordingLog();
  const options = { hot, backlogBytes: BACKLOG, clock: { nowMs: () => time.ms }, log };
  return { backpressure: new Backpressure(options), hotBytesOf, time, log };
}

test("below the limit nobody waits; above it large senders wait, up to the maximum", () => {
  const { backpressure, hotBytesOf, time, log } = backlogOf({ large: 500 * MIB, medium: 6 * MIB, small: 6 * MIB });
  for (const org of ["large", "medium", "small", "none"]) assert.equal(backpressure.delayMs(org), 0);
  hotBytesOf.set("large", 756 * MIB);
  assert.equal(backpressure.delayMs("large"), DELAY_MS_MAX / 2);
  assert.ok(backpressure.delayMs("small") < DELAY_MS_MAX / 200);
  assert.equal(backpressure.delayMs("none"), 0);
  hotBytesOf.set("large", 4000 * MIB);
  hotBytesOf.set("medium", 2000 * MIB);
  time.ms += 1000;
  assert.equal(backpressure.delayMs("large"), DELAY_MS_MAX);
  assert.equal(backpressure.delayMs("medium"), DELAY_MS_MAX / 2);
  hotBytesOf.clear();
  assert.equal(backpressure.delayMs("large"), 0);
  assert.deepEqual(
    log.lines.map(({ level }) => level),
    ["warn", "info"],
  );
});

test("in an organization, the sender of a flood waits, and the others almost not", () => {
  const { backpressure, hotBytesOf, time } = backlogOf({});
  hotBytesOf.set("org", 4000 * MIB);
  for (let i = 0; i < 100; i++) backpressure.note("org", "flood", MIB);
  backpressure.note("org", "small", MIB);
  assert.equal(backpressure.delayMs("org", "flood"), DELAY_MS_MAX);
  assert.equal(backpressure.delayMs("org", "small"), DELAY_MS_MAX / 100);
  assert.equal(backpressure.delayMs("org", "new"), 0);
  assert.equal(backpressure.delayMs("org"), DELAY_MS_MAX, "rows without a sender count as the largest one");
  for (let i = 0; i < 20; i++) {
    time.ms += 5000;
    backpressure.note("org", "small", MIB);
  }
  assert.equal(backpressure.delayMs("org", "flood"), 0, "a flood that has ended is forgotten");
  assert.equal(backpressure.delayMs("org", "small"), DELAY_MS_MAX);
});

/** Simulates senders of 400 KiB batches at full speed, against a compaction of 32 MiB every 400 ms. */
function simulate(senders: readonly string[], seconds: number) {
  const { backpressure, hotBytesOf, time } = backlogOf({});
  const [batch, takesMs, job, jobMs] = [400 * 1024, 10, 32 * MIB, 400];
  const next = senders.map(() => 0);
  const [first, half] = [senders[0] ?? "", (seconds * 1000) / 2];
  const result = { most: 0, takenLate: 0, compactedLate: 0, longestMs: 0 };
  for (; time.ms < seconds * 1000; time.ms += 1) {
    for (const [i, org] of senders.entries()) {
      if (time.ms < (next[i] ?? 0)) continue;
      const delayMs = backpressure.delayMs(org);
      next[i] = time.ms + takesMs + delayMs;
      hotBytesOf.set(org, (hotBytesOf.get(org) ?? 0) + batch);
      result.longestMs = Math.max(result.longestMs, delayMs);
      if (time.ms >= half) result.takenLate += batch;
    }
    const total = hotBytesOf.values().reduce((sum, bytes) => sum + bytes, 0);
    result.most = Math.max(result.most, total);
    if (time.ms % jobMs !== 0 || total < job) continue;
    for (const [org, bytes] of hotBytesOf) hotBytesOf.set(org, bytes - job * (bytes / total));
    if (time.ms >= half) result.compactedLate += job;
  }
  return { ...result, delayOfOthers: backpressure.delayMs("other"), delayOfFirst: backpressure.delayMs(first) };
}

test("the accepted rate settles at the compacted rate, for one sender and for many", () => {
  const one = simulate(Array<string>(16).fill("a"), 60);
  const many = simulate(
    Array.from({ length: 160 }, (_, i) => `org_${i % 10}`),
    60,
  );
  for (const { most, takenLate, compactedLate, longestMs } of [one, many]) {
    assert.ok(most > BACKLOG && most < 2 * BACKLOG, `${Math.round(most / MIB)} MiB at most`);
    assert.ok(
      Math.abs(takenLate / compactedLate - 1) < 0.05,
      `${takenLate} bytes accepted, ${compactedLate} compacted`,
    );
    assert.ok(longestMs <= DELAY_MS_MAX);
  }
  assert.ok(one.delayOfFirst > 10);
  assert.equal(one.delayOfOthers, 0);
});

test("a store slows appends down until its compaction catches up", async () => {
  await using dir = await temporaryDirectory();
  const waited: number[] = [];
  const settings = { ...testSettings(), backlogBytes: 20_000 };
  const pause = async (ms: number): Promise<void> => void waited.push(ms);
  const { rows, close } = await openTestStore(dir.path, { settings, pause });
  const append = (org: string): Promise<unknown> => rows.append(logBatch(org, ["x".repeat(1000)]));
  for (let i = 0; i < 18; i++) await append("org_a");
  assert.deepEqual(waited, [], "below the limit nothing waits");
  for (let i = 0; i < 5; i++) await append("org_a");
  assert.ok(waited.length >= 3 && waited.every((ms, i) => ms > (waited[i - 1] ?? 0)), "longer with each");
  waited.length = 0;
  await append("org_b");
  assert.deepEqual(waited, [], "an organization without a backlog does not wait");
  await rows.compact();
  await append("org_a");
  assert.deepEqual(waited, [], "after the compaction nothing waits");
  await close();
});

test("a store that closes does not wait for delayed appends", async () => {
  await using dir = await temporaryDirectory();
  const settings = { ...testSettings(), backlogBytes: 100 };
  const stuck: CompactionRunner = { run: () => Promise.reject(new Error("stuck")), close: () => Promise.resolve() };
  const { rows, close } = await openTestStore(dir.path, { settings, runner: stuck });
  await rows.append(logBatch("org_a", ["x".repeat(1000)]));
  const began = performance.now();
  const refused = assert.rejects(
    rows.append(logBatch("org_a", ["late"])),
    (error) => error instanceof Problem && error.code === "unavailable",
  );
  await close();
  await refused;
  assert.ok(performance.now() - began < DELAY_MS_MAX);
});
