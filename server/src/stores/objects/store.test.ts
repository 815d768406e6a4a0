import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { rename } from "node:fs/promises";
import { Readable } from "node:stream";
import { test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { openMetadata } from "#stores/metadata/index.ts";
import { makeThings, problem, rowCount, waitUntil } from "./testing/suite/harness.ts";
import { openObjects } from "./index.ts";
import {
  contentOf,
  keep,
  openTestObjects,
  readAll,
  recordingLog,
  temporaryDirectory,
  testClock,
  testSettings,
  unlinkNow,
} from "./testing/store.ts";
import { openFilesystem } from "./filesystem/driver.ts";
import { sourceOf } from "./source.ts";

test("the collector runs by itself, and logs its deletions", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestObjects(dir.path, { settings: testSettings({ collectEveryMs: 5, graceMs: 100 }) });
  await unlinkNow(store, await keep(store, contentOf(1, 100_000)));
  store.clock.advance(101);
  await waitUntil(async () => (await rowCount(store)) === 0, "the collection");
  await waitUntil(() => store.log.lines.length > 0, "the line in the log");
  assert.deepEqual(store.log.lines, [
    { message: "deleted blobs without references", fields: { blobs: 1, bytes: 100_000 } },
  ]);
  await store.close();
});

test("a directory has one server", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestObjects(dir.path);
  const options = {
    dataDir: dir.path,
    metadata: store.metadata,
    clock: trustedClock(systemClock),
    log: recordingLog(),
  };
  await assert.rejects(
    openObjects(options),
    /cannot lock the objects directory: it is open in another process \(pid \d+\)/,
  );
  await store.close();
  const metadata = await openMetadata({ url: undefined, dataDir: dir.path, clock: systemClock });
  await (await openObjects({ ...options, metadata })).close();
  await metadata.close();
});

test("blobs of another directory do not count as missing", async () => {
  await using dir = await temporaryDirectory();
  await using other = await temporaryDirectory();
  const store = await openTestObjects(dir.path);
  await makeThings(store);
  const [large, small] = [await keep(store, contentOf(1, 100_000)), await keep(store, contentOf(2, 100))];
  await store.close();
  const moved = await openTestObjects(dir.path, {
    openDriver: (options) => openFilesystem({ ...options, dataDir: other.path }),
  });
  await assert.rejects(moved.objects.open("org_a", large), problem("unavailable"));
  assert.equal((await readAll(moved, small)).length, 100);
  await unlinkNow(moved, large);
  moved.clock.advance(10_000_000);
  assert.equal((await moved.objects.collect()).blobs, 0, "only the other directory may delete them");
  await moved.close();
});

test("a directory that lost its name is refused while it has blobs", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestObjects(dir.path);
  await keep(store, contentOf(1, 100_000));
  await store.close();
  await rename(`${dir.path}/objects/store-id`, `${dir.path}/store-id`);
  await assert.rejects(openTestObjects(dir.path), /store-id is missing, but there are blobs beside it/);
  await rename(`${dir.path}/store-id`, `${dir.path}/objects/store-id`);
  await (await openTestObjects(dir.path, { clock: testClock() })).close();
});

test("a fast sender leaves turns of the event loop to others", async () => {
  const chunk = Buffer.alloc(64 * 1024);
  let [left, inTurn, most] = [32 * 1024 * 1024, 0, 0];
  const turn = (): void => {
    inTurn = 0;
    if (left > 0) setImmediate(turn);
  };
  setImmediate(turn);
  const stream = new Readable({
    read() {
      left -= chunk.length;
      inTurn += chunk.length;
      most = Math.max(most, inTurn);
      this.push(chunk);
      if (left === 0) this.push(null);
    },
  });
  const source = sourceOf(stream, () => {});
  let bytes = 0;
  for (let ended = false; !ended;) {
    const gathered = await source.next();
    bytes += gathered.bytes;
    ({ ended } = gathered);
  }
  source.release();
  assert.equal(bytes, 32 * 1024 * 1024);
  assert.ok(most <= 1024 * 1024, `${most} bytes in one turn`);
});
