import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { makeThings, named, problem, rowCount, storedIds } from "../testing/suite/harness.ts";
import {
  contentOf,
  LIMIT,
  linkNow,
  MIB,
  openTestObjects,
  readAll,
  temporaryDirectory,
  testSettings,
} from "../testing/store.ts";

/** Mounts a small file system under the objects directory, so that the disk is really full. */
async function smallDisk(
  context: TestContext,
  dataDir: string,
  sizeMib: number,
): Promise<(Disposable & { path: string }) | undefined> {
  const path = join(dataDir, "objects");
  await mkdir(path);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeMib}m`, "tmpfs", path], { stdio: "ignore" });
  } catch {
    context.skip("needs root, or the permission to mount a file system");
    return undefined;
  }
  return { path, [Symbol.dispose]: () => void execFileSync("umount", ["--lazy", path]) };
}

test("a full disk refuses writes, keeps its content, and accepts writes once there is space", async (context) => {
  await using dir = await temporaryDirectory();
  using disk = await smallDisk(context, dir.path, 16);
  if (disk === undefined) return;
  const store = await openTestObjects(dir.path);
  await makeThings(store);
  const kept = await store.objects.write("org_a", contentOf(1, 3 * MIB), LIMIT);
  await linkNow(store, kept);
  const ballast = join(disk.path, "ballast");
  await writeFile(ballast, Buffer.alloc(6 * MIB));
  const writes = Array.from({ length: 4 }, (_, i) => store.objects.write("org_a", contentOf(i, 5 * MIB), LIMIT));
  const results = await Promise.allSettled(writes);
  const refused = results.filter((result) => result.status === "rejected");
  assert.ok(refused.length >= 3);
  for (const { reason } of refused) problem("disk_full")(reason);
  const left = 1 + results.length - refused.length;
  assert.equal((await storedIds(store)).length, left);
  assert.equal(await rowCount(store), left);
  assert.ok((await readAll(store, kept.id)).equals(contentOf(1, 3 * MIB)));
  await rm(ballast);
  await linkNow(store, await store.objects.write("org_a", contentOf(9, 5 * MIB), LIMIT));
  const found = (await named(store)).map((finding) => finding.split(" ")[0]);
  assert.deepEqual(
    new Set(found),
    new Set(["count"]),
    "this test links blobs without a row that references them; nothing else is wrong",
  );
  await store.close();
});

test("an upload whose announced size would use the reserved space is refused before a byte arrives", async (context) => {
  await using dir = await temporaryDirectory();
  using disk = await smallDisk(context, dir.path, 40);
  if (disk === undefined) return;
  const store = await openTestObjects(dir.path, { settings: testSettings({ diskFreeBytesMin: 20 * MIB }) });
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(contentOf(1, MIB)),
  });
  await assert.rejects(store.objects.write("org_a", silent, { ...LIMIT, size: 30 * MIB }), problem("disk_full"));
  await linkNow(store, await store.objects.write("org_a", contentOf(2, 5 * MIB), LIMIT));
  await assert.rejects(store.objects.write("org_a", contentOf(3, 20 * MIB), LIMIT), problem("disk_full"));
  assert.equal((await storedIds(store)).length, 1);
  // Small content is in the records, which have a separate disk here.
  await linkNow(store, await store.objects.write("org_a", contentOf(4, 100), LIMIT));
  await store.close();
});
