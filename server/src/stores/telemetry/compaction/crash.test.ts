import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { batchOf } from "../testing/rows.ts";
import { openTestStore, readMessages, recordingLog, temporaryDirectory } from "../testing/store.ts";

const CHILD = fileURLToPath(new URL("../testing/crash-child.ts", import.meta.url));
const STEPS_MAX = 60;

/** A data directory with three small files of one day. */
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

/** What is on disk, what the manifest has, and every row are as they should be; returns how many files there are. */
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

test("a process that ends between any two steps of a merge: the next start has every row once, and finishes", async () => {
  await using dir = await temporaryDirectory();
  const template = join(dir.path, "template");
  await mkdir(template);
  const expected = await prepare(template);
  const found = new Set<number>();
  for (let step = 1; ; step++) {
    assert.ok(step < STEPS_MAX, "there is no end to the steps");
    const dataDir = join(dir.path, String(step));
    await cp(template, dataDir, { recursive: true });
    const child = spawnSync(process.execPath, [CHILD, dataDir, String(step)], { encoding: "utf8", timeout: 60_000 });
    found.add(await assertWhole(dataDir, expected));
    if (child.signal === "SIGKILL") continue;
    assert.equal(child.status, 0, child.stderr);
    assert.equal(Number(child.stdout), step - 1);
    break;
  }
  assert.deepEqual(found, new Set([3, 1]), "kills hit before and after the switch");
});
