import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { openRows } from "../rows.ts";
import { CompactionProcess } from "./process.ts";
import type { CompactionJob, CompactionRunner } from "./protocol.ts";
import {
  fileCounts,
  logBatch,
  openTestStore,
  readMessages,
  readParquet,
  recordingLog,
  temporaryDirectory,
  testSettings,
} from "../testing/store.ts";
import { Schedule } from "#stores/jobs/index.ts";

const batchOf = (type: "logs" | "metrics" | "traces", rows: readonly object[]) => ({
  orgId: "org_a",
  type,
  rows: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join("")),
  count: rows.length,
});

const processIn = (workDir: string): CompactionProcess =>
  new CompactionProcess({ workDir, memoryBytes: 256 * 1024 * 1024, threads: 1, timeoutMs: 60_000, idleMs: 10_000 });

test("Parquet files have every column and value, sorted by time, and the manifest has their figures", async () => {
  await using dir = await temporaryDirectory();
  const { rows, metadata, close } = await openTestStore(dir.path);
  const early = {
    timestamp: "0001-01-01T00:00:00.000001Z",
    trace_id: "t",
    span_id: "s",
    name: "n",
    status: "ok",
    duration_ms: 0.5,
  };
  const late = {
    ...early,
    timestamp: "9999-12-31T23:59:59.999999Z",
    attributes: { ключ: [1, { deep: "\u0000" }], big: 1.5 },
    project_id: "proj_1",
  };
  await rows.append(batchOf("traces", [late, early]));
  const tagged = {
    timestamp: "2026-11-20T08:00:00.123456Z",
    name: "cpu",
    value: -1.25,
    tags: { host: "a", "": "empty", 'q"': "'" },
  };
  await rows.append(batchOf("metrics", [tagged]));
  await rows.compact();
  const { tables, release } = await rows.snapshot("org_a");
  assert.equal(tables.traces.parquet.length, 2, "a file for each day");
  assert.deepEqual(
    await readParquet(
      tables.traces.parquet,
      'epoch_us("timestamp") AS us, status, duration_ms, attributes, project_id',
    ),
    [
      { us: "-62135596799999999", status: "ok", duration_ms: 0.5, attributes: null, project_id: null },
      {
        us: "253402300799999999",
        status: "ok",
        duration_ms: 0.5,
        attributes: JSON.stringify(late.attributes),
        project_id: "proj_1",
      },
    ],
  );
  assert.deepEqual(
    await readParquet(tables.metrics.parquet, "value, tags['host'] AS host, tags[''] AS empty, tags['q\"'] AS quoted"),
    [{ value: -1.25, host: "a", empty: "empty", quoted: "'" }],
  );
  release();
  const files = await metadata.read
    .selectFrom("telemetry_file")
    .select(["type", "rows", "min_us", "max_us"])
    .orderBy("type")
    .orderBy("min_us")
    .execute();
  assert.deepEqual(files, [
    { type: "metrics", rows: 1, min_us: 1795161600123456, max_us: 1795161600123456 },
    { type: "traces", rows: 1, min_us: Number.MIN_SAFE_INTEGER, max_us: Number.MIN_SAFE_INTEGER },
    { type: "traces", rows: 1, min_us: Number.MAX_SAFE_INTEGER, max_us: Number.MAX_SAFE_INTEGER },
  ]);
  await close();
  const again = await openTestStore(dir.path);
  assert.deepEqual(await fileCounts(again.rows, "org_a"), { parquet: 3, hot: 0 });
  await again.close();
});

test("rows that can't be compacted are put into quarantine, all others are compacted", async () => {
  await using dir = await temporaryDirectory();
  const log = recordingLog();
  const { rows, close } = await openTestStore(dir.path, { log });
  const messages = Array.from({ length: 100 }, (_, i) => (i === 17 || i === 80 ? `bad \ud800 ${i}` : `good ${i}`));
  await rows.append(logBatch("org_a", messages));
  await rows.compact();
  const found = await readMessages(rows, "org_a");
  assert.deepEqual(found.toSorted(), messages.filter((message) => message.startsWith("good")).toSorted());
  assert.equal((await fileCounts(rows, "org_a")).hot, 0);
  const quarantine = join(dir.path, "telemetry", "quarantine", "org_a", "logs");
  const kept = await Promise.all((await readdir(quarantine)).map((name) => readFile(join(quarantine, name), "utf8")));
  assert.deepEqual(
    kept.map((line) => (JSON.parse(line) as { message: string }).message).toSorted(),
    messages.filter((message) => message.startsWith("bad")).toSorted(),
  );
  assert.equal(log.lines.filter(({ level }) => level === "error").length, 2);
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "work")), []);
  await close();
});

test("a machine that can't compact puts nothing into quarantine; the next attempt compacts everything", async () => {
  await using dir = await temporaryDirectory();
  const real = processIn(dir.path);
  let broken = true;
  const runner: CompactionRunner = {
    run: async (job) => {
      if (broken) throw new Error("no process could be started");
      return real.run(job);
    },
    close: () => real.close(),
  };
  const { rows, close } = await openTestStore(dir.path, { runner });
  await rows.append(logBatch("org_a", ["one", "two"]));
  await rows.compact();
  assert.deepEqual(await fileCounts(rows, "org_a"), { parquet: 0, hot: 1 });
  broken = false;
  await rows.compact();
  assert.deepEqual(await fileCounts(rows, "org_a"), { parquet: 1, hot: 0 });
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "quarantine")), []);
  assert.deepEqual(await readMessages(rows, "org_a"), ["one", "two"]);
  await close();
});

test("a file with another number of rows than its input is refused", async () => {
  await using dir = await temporaryDirectory();
  const real = processIn(dir.path);
  const log = recordingLog();
  const runner: CompactionRunner = {
    run: async (job) => {
      const made = await real.run(job);
      return made.map((file) => ({ ...file, rows: file.rows - 1 }));
    },
    close: () => real.close(),
  };
  const { rows, close } = await openTestStore(dir.path, { runner, log });
  await rows.append(logBatch("org_a", ["one", "two"]));
  await rows.compact();
  assert.deepEqual(await fileCounts(rows, "org_a"), { parquet: 0, hot: 1 });
  assert.ok(log.lines.some(({ level, message }) => level === "error" && message === "cannot compact telemetry"));
  await close();
});

test("a killed process fails its job, and the next job has a new process", async () => {
  await using dir = await temporaryDirectory();
  const input = join(dir.path, "in.ndjson");
  await writeFile(input, logBatch("org_a", ["one"]).rows);
  const runner = new CompactionProcess({
    workDir: dir.path,
    memoryBytes: 256 * 1024 * 1024,
    threads: 1,
    timeoutMs: 1,
    idleMs: 10_000,
  });
  const job = async (name: string): Promise<CompactionJob> => {
    const outputDir = join(dir.path, name);
    await mkdir(outputDir);
    return { kind: "compact", type: "logs", inputs: [input], rows: 1, outputDir, asked: [] };
  };
  await assert.rejects(runner.run(await job("a")), /ended \(SIGKILL\)/);
  await runner.close();
  const next = processIn(dir.path);
  for (const name of ["b", "c"]) {
    const made = await next.run(await job(name));
    assert.deepEqual(
      made.map(({ rows }) => rows),
      [1],
    );
  }
  await next.close();
});

for (const committed of [true, false]) {
  test(`a commit without an answer that was ${committed ? "" : "not "}made neither loses nor doubles rows`, async () => {
    await using dir = await temporaryDirectory();
    const metadata = await openMetadata({ url: undefined, dataDir: dir.path, clock: trustedClock(systemClock) });
    let losing = false;
    const lossy: MetadataStore = Object.create(metadata, {
      write: {
        value: async (work: Parameters<MetadataStore["write"]>[0]) => {
          if (losing && !committed) throw new Error("the connection broke before the commit");
          const result = await metadata.write(work);
          if (losing) throw new Error("the connection broke after the commit");
          return result;
        },
      },
      read: { get: () => metadata.read },
    });
    const rows = await openRows({
      schedule: new Schedule(systemClock),
      dataDir: dir.path,
      metadata: lossy,
      clock: trustedClock(systemClock),
      log: recordingLog(),
      settings: testSettings(),
    });
    await rows.append(logBatch("org_a", ["one", "two"]));
    losing = true;
    await rows.compact();
    assert.deepEqual(await readMessages(rows, "org_a"), ["one", "two"]);
    assert.deepEqual(await fileCounts(rows, "org_a"), committed ? { parquet: 1, hot: 0 } : { parquet: 0, hot: 1 });
    losing = false;
    await rows.append(logBatch("org_a", ["three"]));
    await rows.compact();
    assert.deepEqual((await readMessages(rows, "org_a")).toSorted(), ["one", "three", "two"]);
    await rows.close();
    await metadata.close();
    const again = await openTestStore(dir.path);
    assert.deepEqual((await readMessages(again.rows, "org_a")).toSorted(), ["one", "three", "two"]);
    await again.close();
  });
}

test("a start deletes Parquet files that were never committed, and quarantines files that nothing can replace", async () => {
  await using dir = await temporaryDirectory();
  let store = await openTestStore(dir.path);
  await store.rows.append(logBatch("org_a", ["one"]));
  await store.rows.compact();
  await store.rows.append(logBatch("org_a", ["two"]));
  const { tables, release } = await store.rows.snapshot("org_a");
  const live = tables.logs.parquet[0]?.path ?? "";
  release();
  await store.close();
  const folder = join(dir.path, "telemetry", "parquet", "org_b", "logs");
  await mkdir(folder, { recursive: true });
  await copyFile(live, join(folder, "2-2-seg_uncommitted.parquet"));
  await copyFile(live, join(folder, "0-1-seg_unknown.parquet"));
  const log = recordingLog();
  store = await openTestStore(dir.path, { log });
  assert.deepEqual(await readdir(folder), []);
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "quarantine")), ["0-1-seg_unknown.parquet"]);
  assert.equal(log.lines.filter(({ level }) => level === "error").length, 1);
  assert.deepEqual((await readMessages(store.rows, "org_a")).toSorted(), ["one", "two"]);
  await store.close();
});
