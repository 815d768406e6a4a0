import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import {
  fileCounts,
  logBatch,
  openTestStore,
  readMessages,
  temporaryDirectory,
  testSettings,
} from "../testing/store.ts";
import { CompactionProcess } from "./process.ts";
import type { CompactJob, CompactionRunner } from "./protocol.ts";

const MIB = 1024 * 1024;
const settings = testSettings();

/** Runs jobs once `ready`, and records them. */
function recording(workDir: string, ready = Promise.resolve()): CompactionRunner & { readonly jobs: CompactJob[] } {
  const options = { workDir, memoryBytes: 256 * MIB, threads: 1, timeoutMs: 60_000, idleMs: 10_000 };
  const real = new CompactionProcess(options);
  const jobs: CompactJob[] = [];
  const run: CompactionRunner["run"] = async (job) => {
    if (job.kind === "compact") jobs.push(job);
    await ready;
    return real.run(job);
  };
  return { jobs, run, close: () => real.close() };
}

const long = (nth: number): string => `${nth} ${"x".repeat(1000)}`;

test("jobs are small and follow each other at once, urgent during a large backlog, and with all attributes after it", async () => {
  await using dir = await temporaryDirectory();
  const appended = Promise.withResolvers<void>();
  const runner = recording(dir.path, appended.promise);
  const small = { hotBytes: 2000, inputBytesMax: 6000, behindBytes: 20_000, logBytes: 100_000, checkEveryMs: 2000 };
  const compaction = { ...settings.compaction, ...small };
  const change = { ...settings, hotFileBytes: 1500, backlogBytes: 80_000, compaction };
  const { rows, close } = await openTestStore(dir.path, { settings: change, runner, pause: async () => {} });
  for (let i = 0; i < 60; i++) await rows.append(logBatch("org_a", [long(i)]));
  appended.resolve();
  const deadline = performance.now() + 60_000;
  while (rows.health().hotRows > 0) {
    assert.ok(performance.now() < deadline, `${rows.health().hotRows} rows are not compacted`);
    await delay(10);
  }
  const { jobs } = runner;
  assert.ok(jobs.length >= 12 && jobs.every(({ inputs }) => inputs.length <= 5), `${jobs.length} jobs`);
  // The first job may have begun before much was appended.
  const paces = jobs.slice(1).map(({ urgent, askedOnly }) => `${urgent} ${askedOnly}`);
  assert.deepEqual([...new Set(paces)], ["true true", "true false", "false false"], "in this order");
  assert.equal(new Set(await readMessages(rows, "org_a")).size, 60);
  await close();
});

test("many small tables are behind only if they are too much for the log", async () => {
  await using dir = await temporaryDirectory();
  const runner = recording(dir.path);
  const compaction = { ...settings.compaction, hotBytes: 5000, behindBytes: 8000, logBytes: 20_000 };
  const { rows, close } = await openTestStore(dir.path, { settings: { ...settings, compaction }, runner });
  const urgent = async (tables: number): Promise<boolean> => {
    runner.jobs.length = 0;
    for (let i = 0; i < tables; i++) await rows.append(logBatch(`org_${i}`, [long(i)]));
    await rows.compact();
    return runner.jobs[0]?.urgent === true;
  };
  assert.deepEqual([await urgent(15), await urgent(25)], [false, true]);
  await close();
});

test("merges wait while compaction is behind, except for tables with too many files", async () => {
  await using dir = await temporaryDirectory();
  const compaction = { ...settings.compaction, hotBytes: 1, behindBytes: 0 };
  for (const [inputsMax, parquet] of [
    [256, 3],
    [3, 1],
  ] as const) {
    const change = { ...settings, compaction, merge: { ...settings.merge, fanIn: 2, inputsMax } };
    const org = `org_${inputsMax}`;
    const { rows, close } = await openTestStore(dir.path, { settings: change });
    for (const message of ["one", "two", "three"]) {
      await rows.append(logBatch(org, [message]));
      await rows.compact();
    }
    await rows.append(logBatch(org, ["four"]));
    await rows.merge();
    assert.deepEqual(await fileCounts(rows, org), { parquet, hot: 1 });
    await rows.compact();
    await rows.merge();
    assert.ok((await fileCounts(rows, org)).parquet < 4, "afterwards they are merged");
    await close();
  }
});

test("urgent jobs have the server's priority, others a lower one", { skip: process.platform !== "linux" }, async () => {
  await using dir = await temporaryDirectory();
  const input = join(dir.path, "in.ndjson");
  await writeFile(input, logBatch("org_a", ["one"]).rows);
  const runner = recording(dir.path);
  const priorities: number[] = [];
  for (const urgent of [false, true, false]) {
    const outputDir = join(dir.path, String(priorities.length));
    await mkdir(outputDir);
    await runner.run({ kind: "compact", type: "logs", inputs: [input], rows: 1, outputDir, asked: [], urgent });
    priorities.push(await priorityOfChild());
  }
  await runner.close();
  const own = priorityIn(await readFile("/proc/self/stat", "utf8"));
  assert.ok((priorities[0] ?? 0) > own);
  assert.deepEqual(priorities.slice(1), [own, own], "a process is not replaced for one job that is not urgent");
});

/** Returns the priority of the newest child of this process. */
async function priorityOfChild(): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  const children = stats.filter((stat) => fieldsOf(stat)[1] === String(process.pid) && fieldsOf(stat)[0] !== "Z");
  return priorityIn(children.toSorted((a, b) => Number(fieldsOf(a)[19]) - Number(fieldsOf(b)[19])).at(-1) ?? "");
}

function priorityIn(stat: string): number {
  return Number(fieldsOf(stat)[16]);
}

/** Returns the fields from the state on. The name in parentheses before it may have any characters. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
