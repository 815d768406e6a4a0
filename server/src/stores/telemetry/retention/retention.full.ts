import assert from "node:assert/strict";
import { test } from "node:test";
import { ClockGuard } from "#stores/clock/index.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import type { TelemetryType } from "../columns.ts";
import { layoutOf } from "../layout.ts";
import type { AcceptedTimes } from "./index.ts";
import { bytesBelow, DAY_MS, filesBelow, rowsOf, setPolicy } from "../testing/retention.ts";
import { openTestStore, recordingLog, temporaryDirectory, type OpenStore } from "../testing/store.ts";
import { Schedule } from "#stores/jobs/index.ts";

const ORG = "org_a";
const NOON = Date.parse("2026-11-20T12:00:00Z");

/** Opens a store whose clock the test sets, with `count` rows on each of some days before today. */
async function storeWithDays(
  dir: string,
  days: readonly number[],
  count = 20,
): Promise<OpenStore & { clock: { now: number }; log: ReturnType<typeof recordingLog> }> {
  const clock = { now: NOON, nowMs: () => clock.now };
  const log = recordingLog();
  const store = await openTestStore(dir, { clock, log });
  for (const day of days) {
    const timestamp = new Date(NOON - day * DAY_MS).toISOString().replace("Z", "000Z");
    const rows = Array.from({ length: count }, (_, i) => ({ timestamp, message: `day ${day}, row ${i}` }));
    await store.rows.append(rowsOf(ORG, "logs", rows));
  }
  await store.rows.compact();
  return { ...store, clock, log };
}

/** Returns the days before today whose rows the manifest has, whether queries show them or not. */
async function daysThere(store: OpenStore): Promise<number[]> {
  const files = store.metadata.read.selectFrom("telemetry_file").select("day").where("dropped_at", "is", null);
  const days = (await files.where("type", "=", "logs").execute()).map(({ day }) => (NOON - Date.parse(day)) / DAY_MS);
  return [...new Set(days.map(Math.floor))].toSorted((a, b) => a - b);
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, what);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("files whose newest row is past the retention are deleted, from the disk too; others and other types stay", async () => {
  await using dir = await temporaryDirectory();
  const store = await storeWithDays(dir.path, [0, 1, 6, 8, 30], 2000);
  await store.rows.append(rowsOf(ORG, "traces", [{ timestamp: "2026-01-01T00:00:00.000000Z", name: "old" }]));
  await store.rows.compact();
  const { parquet } = layoutOf(dir.path);
  const before = { bytes: await bytesBelow(parquet), usage: store.rows.lifecycle.usage(ORG) };
  await setPolicy(store.metadata, ORG, { retention_days_logs: 7 });
  await store.rows.lifecycle.refresh();
  await store.rows.lifecycle.dropPast();
  assert.deepEqual(await daysThere(store), [0, 1, 6]);
  await eventually("the files are deleted", async () => (await filesBelow(parquet)).length === 4);
  const after = { bytes: await bytesBelow(parquet), usage: store.rows.lifecycle.usage(ORG) };
  const freed = before.usage.logs.parquetBytes - after.usage.logs.parquetBytes;
  assert.ok(freed > 0);
  assert.equal(before.bytes - after.bytes, freed, "the usage decreases by as many bytes as the disk frees");
  assert.deepEqual([after.usage.logs.rows, after.usage.logs.files, after.usage.traces.rows], [6000, 3, 1]);
  await store.close();
});

test("a file that spans the limit waits for its newest row", async () => {
  await using dir = await temporaryDirectory();
  const store = await storeWithDays(dir.path, []);
  const at = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");
  const rows = [NOON - 7 * DAY_MS - 1000, NOON - 7 * DAY_MS + 1000].map((ms) => ({ timestamp: at(ms), message: "m" }));
  await store.rows.append(rowsOf(ORG, "logs", rows));
  await store.rows.compact();
  await setPolicy(store.metadata, ORG, { retention_days_logs: 7 });
  await store.rows.lifecycle.refresh();
  await store.rows.lifecycle.dropPast();
  assert.equal(store.rows.lifecycle.usage(ORG).logs.rows, 2);
  assert.equal(
    store.rows.lifecycle.shown(ORG).logs.fromUs,
    (NOON - 7 * DAY_MS) * 1000,
    "queries do not show the other rows",
  );
  store.clock.now += 1001;
  await store.rows.lifecycle.dropPast();
  assert.equal(store.rows.lifecycle.usage(ORG).logs.rows, 0);
  await store.close();
});

test("a dropped file stays until the queries that read it end", async () => {
  await using dir = await temporaryDirectory();
  const store = await storeWithDays(dir.path, [0, 9]);
  const { parquet } = layoutOf(dir.path);
  const reading = await store.rows.snapshot(ORG);
  await setPolicy(store.metadata, ORG, { retention_days_logs: 7 });
  await store.rows.lifecycle.refresh();
  await store.rows.lifecycle.dropPast();
  assert.equal((await filesBelow(parquet)).length, 2);
  reading.release();
  await eventually("the file is deleted", async () => (await filesBelow(parquet)).length === 1);
  await store.close();
});

test("a start deletes files that were dropped and not yet deleted", async () => {
  await using dir = await temporaryDirectory();
  const store = await storeWithDays(dir.path, [0, 9]);
  const { parquet } = layoutOf(dir.path);
  await store.rows.snapshot(ORG); // Takes a snapshot that is never released, as if the process had been killed before the deletion.
  await setPolicy(store.metadata, ORG, { retention_days_logs: 7 });
  await store.rows.lifecycle.refresh();
  await store.rows.lifecycle.dropPast();
  await store.close();
  assert.equal((await filesBelow(parquet)).length, 2);
  const again = await openTestStore(dir.path, { clock: store.clock as never });
  assert.equal((await filesBelow(parquet)).length, 1);
  assert.deepEqual(await daysThere(again), [0]);
  const left = await again.metadata.read.selectFrom("telemetry_file").select("id").execute();
  assert.equal(left.length, 1, "the manifest does not have it either");
  await again.close();
});

/** A server's clock, which a test sets, and the time that really passes. */
async function guarded(dir: string, clock: { now: number; nowMs: () => number }, log: ReturnType<typeof recordingLog>) {
  const metadata = await openMetadata({ url: undefined, dataDir: dir, clock });
  const real = { ms: 0 };
  const realTime = { bootId: null, elapsedMs: () => real.ms };
  const guard = new ClockGuard({ schedule: new Schedule(clock), dataDir: dir, metadata, clock, realTime, log });
  await guard.start();
  const close = async (): Promise<void> => {
    await guard.stop();
    await metadata.close();
  };
  return { guard, real, close };
}

test("a clock that jumps ahead deletes nothing for a day, and nothing at all when it is set back", async () => {
  await using dir = await temporaryDirectory();
  await (await storeWithDays(dir.path, [0, 1, 2])).close();
  const clock = { now: NOON, nowMs: () => clock.now };
  const log = recordingLog();
  const { guard, real, close } = await guarded(dir.path, clock, log);
  const store = await openTestStore(dir.path, { clock: guard, log });
  const run = async (): Promise<number[]> => {
    await store.rows.lifecycle.dropPast();
    return daysThere(store);
  };
  await setPolicy(store.metadata, ORG, { retention_days_logs: 7 });
  await store.rows.lifecycle.refresh();
  assert.deepEqual(await run(), [0, 1, 2]);
  clock.now = NOON + 400 * DAY_MS;
  assert.deepEqual(await run(), [0, 1, 2], "the jump was detected");
  assert.ok(log.lines.some(({ message }) => message.startsWith("the clock is far ahead")));
  clock.now += 3_600_000;
  real.ms += 3_600_000;
  assert.deepEqual(await run(), [0, 1, 2], "an hour later the clock may still be wrong");
  clock.now = NOON + 7_200_000;
  real.ms += 3_600_000;
  assert.deepEqual(await run(), [0, 1, 2], "the clock was set back, and nothing has changed");
  clock.now = NOON + 5.5 * DAY_MS;
  assert.deepEqual(await run(), [0, 1, 2], "another jump of the clock waits as well");
  for (let hours = 0; hours < 25; hours += 1) {
    clock.now += 3_600_000;
    real.ms += 3_600_000;
    await guard.look();
    await run();
  }
  assert.deepEqual(await run(), [0], "the clock is trusted after a day");
  await store.close();
  await close();
});

test("rows past their retention are hidden and refused, unless the clock is in doubt", async () => {
  await using dir = await temporaryDirectory();
  await (await storeWithDays(dir.path, [0, 6, 8], 5)).close();
  const clock = { now: NOON, nowMs: () => clock.now };
  const { guard, close } = await guarded(dir.path, clock, recordingLog());
  const store = await openTestStore(dir.path, { clock: guard });
  await store.rows.append(rowsOf(ORG, "logs", [{ timestamp: "2026-11-10T00:00:00.000000Z", message: "old and hot" }]));
  const { lifecycle } = store.rows;
  const accepted = (type: TelemetryType): AcceptedTimes | undefined => lifecycle.acceptedTimes(ORG, type);
  const ahead = { notAfter: "2026-11-20T13:00:00.000000Z" };
  assert.deepEqual(accepted("logs"), { notBefore: "2016-11-22T12:00:00.000000Z", ...ahead }, "no retention");
  await setPolicy(store.metadata, ORG, { retention_days_logs: 7 });
  await lifecycle.refresh();
  await lifecycle.dropPast();
  const snapshot = await store.rows.snapshot(ORG);
  snapshot.release();
  assert.deepEqual(snapshot.tables.logs.range, { fromUs: (NOON - 7 * DAY_MS) * 1000 });
  assert.deepEqual([snapshot.tables.logs.parquet.length, snapshot.tables.logs.hot.length], [2, 1]);
  assert.deepEqual(accepted("logs"), { notBefore: "2026-11-13T12:00:00.000000Z", ...ahead });
  clock.now += 2 * DAY_MS;
  assert.equal(accepted("logs"), undefined, "a clock that was just set is not trusted");
  await lifecycle.dropPast();
  assert.equal(accepted("logs"), undefined, "and deletes nothing");
  clock.now = NOON;
  await lifecycle.dropPast();
  assert.deepEqual(accepted("logs"), { notBefore: "2026-11-13T12:00:00.000000Z", ...ahead });
  await setPolicy(store.metadata, ORG, {
    retention_days_logs: 7,
    timestamp_behind_days: 9,
    timestamp_ahead_seconds: 0,
  });
  await lifecycle.refresh();
  const now = "2026-11-20T12:00:00.000000Z";
  assert.deepEqual(
    accepted("logs"),
    { notBefore: "2026-11-13T12:00:00.000000Z", notAfter: now },
    "within the retention",
  );
  assert.deepEqual(accepted("traces"), { notBefore: "2026-11-11T12:00:00.000000Z", notAfter: now });
  await store.close();
  await close();
});

test("an organization's retention overrides the default, and the maximum limits both", async () => {
  await using dir = await temporaryDirectory();
  const { TELEMETRY_DEFAULTS } = await import("../settings.ts");
  const { testSettings } = await import("../testing/store.ts");
  const days = { logs: 30, metrics: null, traces: 90 };
  const retention = { ...TELEMETRY_DEFAULTS.retention, checkEveryMs: 0, deleteAfterMs: 0, days, daysMax: 60 };
  const store = await openTestStore(dir.path, { settings: testSettings({ retention }) });
  assert.deepEqual(store.rows.lifecycle.policy(ORG).retentionDays, {
    logs: 30,
    metrics: 60,
    traces: 60,
    access_log: 30,
    query_log: 30,
  });
  await setPolicy(store.metadata, ORG, {
    retention_days_logs: 45,
    retention_days_metrics: 5,
    retention_days_traces: 61,
  });
  await store.rows.lifecycle.refresh();
  assert.deepEqual(store.rows.lifecycle.policy(ORG).retentionDays, {
    logs: 45,
    metrics: 5,
    traces: 60,
    access_log: 30,
    query_log: 30,
  });
  assert.deepEqual(store.rows.lifecycle.policy("org_other").retentionDays, {
    logs: 30,
    metrics: 60,
    traces: 60,
    access_log: 30,
    query_log: 30,
  });
  await store.close();
});

test("rows of organizations that must be kept stay, also past their retention", async () => {
  await using dir = await temporaryDirectory();
  const clock = { now: NOON, nowMs: () => clock.now };
  const kept = new Set([ORG]);
  const store = await openTestStore(dir.path, { clock, kept: async () => kept });
  const timestamp = new Date(NOON - 8 * DAY_MS).toISOString().replace("Z", "000Z");
  for (const org of [ORG, "org_b"]) await store.rows.append(rowsOf(org, "logs", [{ timestamp, message: "old" }]));
  await store.rows.compact();
  for (const org of [ORG, "org_b"]) await setPolicy(store.metadata, org, { retention_days_logs: 7 });
  const there = async (): Promise<string[]> => {
    const files = store.metadata.read.selectFrom("telemetry_file").select("org_id").where("dropped_at", "is", null);
    return (await files.execute()).map(({ org_id }) => org_id);
  };
  await store.rows.lifecycle.refresh();
  await store.rows.lifecycle.dropPast();
  assert.deepEqual(await there(), [ORG]);
  kept.clear();
  await store.rows.lifecycle.dropPast();
  assert.deepEqual(await there(), []);
  await store.close();
});
