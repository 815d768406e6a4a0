import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { batchOf } from "../testing/rows.ts";
import { openTestStore, readMessages, recordingLog, temporaryDirectory } from "../testing/store.ts";

const CHILD = fileURLToPath(new URL("../testing/crash-child.ts", import.meta.url));
const STEPS_MAX = 60;

interface Crash {
  /** Live files after the next start. */
  readonly files: number;
  /** Whether the process ran to its end, because there were fewer steps. */
  readonly ended: boolean;
}

/** Fills a data directory with three small files of one day. */
async function prepare(dataDir: string): Promise<string[]> {
  const { rows, close } = await openTestStore(dataDir);
  const messages = ["one", "two", "three", "four", "five", "six"];
  for (let file = 0; file < 3; file++) {
    const two = messages.slice(file * 2, file * 2 + 2);
    const entries = two.map((message) => ({ timestamp: "2026-11-20T08:00:00.000000Z", level: "info", message }));
    await rows.append(batchOf("logs", entries));
    await rows.compact();
  }
  await close();
  return messages.toSorted();
}

/** Asserts that files on disk, the manifest and every row are right. Returns the number of files. */
async function assertWhole(dataDir: string, expected: readonly string[]): Promise<number> {
  const log = recordingLog();
  const { rows, metadata, close } = await openTestStore(dataDir, { log });
  assert.deepEqual((await readMessages(rows, "org_a")).toSorted(), expected);
  const telemetry = join(dataDir, "telemetry");
  const onDisk = await readdir(join(telemetry, "parquet", "org_a", "logs"));
  const known = await metadata.read.selectFrom("telemetry_file").select(["path", "dropped_at"]).execute();
  assert.deepEqual(onDisk.toSorted(), known.map(({ path }) => path.replace(/^.*\//, "")).toSorted());
  assert.ok(known.every(({ dropped_at: at }) => at === null));
  for (const folder of ["replacing", "work", "quarantine"])
    assert.deepEqual(await readdir(join(telemetry, folder)), []);
  assert.deepEqual(log.lines, []);
  await close();
  return known.length;
}

/** Ends a merge of a copy of `template` at a step, and checks the next start. */
async function crashAt(template: string, dataDir: string, step: number, expected: readonly string[]): Promise<Crash> {
  await cp(template, dataDir, { recursive: true });
  const child = spawn(process.execPath, [CHILD, dataDir, String(step)], { stdio: ["ignore", "pipe", "inherit"] });
  const [printed, [code, signal]] = await Promise.all([
    text(child.stdout),
    once(child, "close") as Promise<[number | null, string | null]>,
  ]);
  const files = await assertWhole(dataDir, expected);
  if (signal === "SIGKILL") return { files, ended: false };
  assert.equal(code, 0);
  assert.ok(Number(printed) < step, "the process did not end at its step");
  return { files, ended: true };
}

test("after a process ends between any two steps of a merge, the next start has every row once, and finishes", async () => {
  await using dir = await temporaryDirectory();
  const template = join(dir.path, "template");
  await mkdir(template);
  const expected = await prepare(template);
  const crashes: Crash[] = [];
  // Two at a time. The number of steps varies a little, because files that are deleted together are forgotten together.
  for (let step = 1; !crashes.some(({ ended }) => ended); step += 2) {
    assert.ok(step < STEPS_MAX, "the number of steps is bounded");
    const two = [step, step + 1].map((at) => crashAt(template, join(dir.path, String(at)), at, expected));
    crashes.push(...(await Promise.all(two)));
  }
  assert.ok(crashes.length > 15, `${crashes.length} steps only`);
  assert.deepEqual(new Set(crashes.map(({ files }) => files)), new Set([3, 1]), "before and after the switch");
});
