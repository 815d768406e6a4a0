import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Problem } from "#kernel/problem.ts";
import type { RowStore } from "./rows.ts";
import { logBatch, openTestStore, readMessages, temporaryDirectory, testSettings } from "./testing/store.ts";

const MIB = 1024 * 1024;

/** Mounts a small file system under the telemetry directory, so that the disk is really full. */
async function smallDisk(
  context: TestContext,
  dataDir: string,
  sizeMib: number,
): Promise<(Disposable & { path: string }) | undefined> {
  const path = join(dataDir, "telemetry");
  await mkdir(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMib}m`, "tmpfs", path], { stdio: "ignore" });
  } catch {
    context.skip("needs root, or the permission to mount a file system");
    return undefined;
  }
  return { path, [Symbol.dispose]: () => void execFileSync("umount", ["--lazy", path]) };
}

const isDiskFull = (error: unknown): boolean =>
  error instanceof Problem && error.code === "disk_full" && !error.isCallers && error.options.retryAfterS === 5;

/** Appends batches of about 100 KB from several writers until one is refused. Returns the acknowledged ones. */
async function fill(rows: RowStore, round: string): Promise<string[]> {
  const acknowledged: string[] = [];
  let refused = 0;
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; refused === 0; n++) {
      const message = `${round}-${writer}-${n}-${"x".repeat(100_000)}`;
      try {
        await rows.append(logBatch("org_a", [message]));
        acknowledged.push(message);
      } catch (error) {
        assert.ok(isDiskFull(error), String(error));
        refused += 1;
      }
    }
  };
  await Promise.all([0, 1, 2, 3].map(write));
  assert.ok(refused > 0);
  return acknowledged;
}

test("a full disk refuses batches, keeps its rows, and accepts more once there is space", async (context) => {
  await using dir = await temporaryDirectory();
  using disk = await smallDisk(context, dir.path, 12);
  if (disk === undefined) return;
  let store = await openTestStore(dir.path);
  const ballast = join(disk.path, "ballast");
  await writeFile(ballast, Buffer.alloc(8 * MIB));
  const first = await fill(store.rows, "first");
  assert.equal(store.rows.health().ok, false);
  assert.match(store.rows.health().detail, /disk is full/);
  await assert.rejects(store.rows.append(logBatch("org_a", ["x".repeat(200_000)])), isDiskFull);
  await rm(ballast);
  await store.rows.append(logBatch("org_a", ["after"]));
  assert.equal(store.rows.health().ok, true);
  const expected = [...first, "after"].toSorted();
  assert.deepEqual((await readMessages(store.rows, "org_a")).toSorted(), expected);
  await store.close();
  store = await openTestStore(dir.path);
  assert.deepEqual((await readMessages(store.rows, "org_a")).toSorted(), expected);
  await store.close();
});

test("the store refuses batches while there is still space to read and compact its rows", async (context) => {
  await using dir = await temporaryDirectory();
  using disk = await smallDisk(context, dir.path, 48);
  if (disk === undefined) return;
  const store = await openTestStore(dir.path, { settings: testSettings({ diskFreeBytesMin: 28 * MIB }) });
  const acknowledged = await fill(store.rows, "first");
  assert.deepEqual((await readMessages(store.rows, "org_a")).toSorted(), acknowledged.toSorted());
  await store.rows.compact();
  const { tables, release } = await store.rows.snapshot("org_a");
  release();
  assert.equal(tables.logs.parquet.length, 1);
  assert.deepEqual((await readMessages(store.rows, "org_a")).toSorted(), acknowledged.toSorted());
  await store.close();
});
