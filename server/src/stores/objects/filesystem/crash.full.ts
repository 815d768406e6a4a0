import assert from "node:assert/strict";
import { link, mkdir, readdir, rename, rm, truncate } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { systemClock } from "#kernel/time.ts";
import {
  assertNothingLeft,
  GRACE_MS,
  keepThing,
  dropThing,
  makeThings,
  named,
  storedIds,
} from "../testing/suite/harness.ts";
import { layoutOf } from "../layout.ts";
import {
  contentOf,
  linkNow,
  LIMIT,
  MIB,
  openTestObjects,
  piecesOf,
  readAll,
  temporaryDirectory,
} from "../testing/store.ts";
import { openFilesystem, OPERATIONS } from "./driver.ts";
import type { FileOperations } from "./sink.ts";
import { filesystemPlace } from "./testing.ts";

/** Simulates a disk that loses everything that was not flushed at a power failure. */
class ForgetfulDisk {
  readonly #dataDir: string;
  readonly #unwritten = new Set<string>();
  readonly #unnamed = new Map<string, string>();
  readonly #removed = new Map<string, string>();
  readonly #shards = new Set<string>();
  readonly #paths = new Map<object, string>();
  readonly events: string[] = [];

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  operations(left: readonly (keyof FileOperations)[] = []): FileOperations {
    const watched: FileOperations = {
      open: async (path) => {
        const handle = await OPERATIONS.open(path);
        this.#paths.set(handle, path);
        return handle;
      },
      writev: async (handle, chunks, position) => {
        this.#unwritten.add(basename(this.#paths.get(handle) ?? ""));
        return OPERATIONS.writev(handle, chunks, position);
      },
      datasync: async (handle) => {
        await OPERATIONS.datasync(handle);
        this.#unwritten.delete(basename(this.#paths.get(handle) ?? ""));
      },
      rename: async (from, to) => {
        await OPERATIONS.rename(from, to);
        this.#unnamed.set(to, from);
      },
      syncDirectory: async (path) => {
        await OPERATIONS.syncDirectory(path);
        await this.#flushNames(path);
      },
      remove: async (path) => {
        const copy = join(this.#dataDir, `removed-${basename(path)}`);
        await link(path, copy).catch(() => {});
        await OPERATIONS.remove(path);
        this.#removed.set(path, copy);
      },
    };
    const skipped = Object.fromEntries(left.map((name) => [name, async () => {}]));
    const told = Object.entries({ ...watched, ...skipped }).map(([name, operation]) => [
      name,
      async (...args: never[]) => {
        this.events.push(name);
        return (operation as (...args: never[]) => unknown)(...args);
      },
    ]);
    return Object.fromEntries(told) as FileOperations;
  }

  /** Removes everything that was not flushed. Call it when nothing has the directory open. */
  async loseWhatIsNotFlushed(): Promise<void> {
    const { blobs } = layoutOf(this.#dataDir);
    for (const [path, copy] of this.#removed) await rename(copy, path).catch(() => {});
    for (const entry of await readdir(blobs, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && this.#unwritten.has(entry.name)) await truncate(join(entry.parentPath, entry.name), 0);
    }
    for (const [path, from] of this.#unnamed) await rename(path, from).catch(() => {});
    for (const shard of await readdir(blobs))
      if (!this.#shards.has(shard)) await rm(join(blobs, shard), { recursive: true });
  }

  async #flushNames(directory: string): Promise<void> {
    for (const path of this.#unnamed.keys()) if (dirname(path) === directory) this.#unnamed.delete(path);
    for (const path of this.#removed.keys()) if (dirname(path) === directory) this.#removed.delete(path);
    if (directory === layoutOf(this.#dataDir).blobs)
      for (const shard of await readdir(directory)) this.#shards.add(shard);
  }
}

/** Keeps content, releases some of it, and has the power fail. Resolves to the findings of scrub. */
async function afterPowerFailure(
  left: readonly (keyof FileOperations)[],
): Promise<{ found: string[]; events: string[] }> {
  await using dir = await temporaryDirectory();
  const disk = new ForgetfulDisk(dir.path);
  const store = await openTestObjects(dir.path, { operations: disk.operations(left) });
  await makeThings(store);
  for (let i = 0; i < 8; i++) await keepThing(store, `thing_${i}`, contentOf(i, 40_000 + i * MIB));
  const { events } = disk;
  const written = [...events];
  for (let i = 0; i < 8; i += 2) await dropThing(store, `thing_${i}`);
  store.clock.advance(GRACE_MS + 1);
  await store.objects.collect();
  await store.close();
  await disk.loseWhatIsNotFlushed();
  const again = await openTestObjects(dir.path);
  const found = await named(again);
  await again.close();
  return { found: found.map((finding) => finding.split(" ")[0] ?? ""), events: written };
}

test("after a power failure linked content is complete and deleted content stays deleted", async () => {
  const { found, events } = await afterPowerFailure([]);
  assert.deepEqual(found, []);
  const first = events.slice(events.indexOf("open"), events.lastIndexOf("open"));
  const order = first.filter((name) => name !== "writev").slice(0, 5);
  // The first blob of a directory also flushes the directory's name, at any time before the rename.
  assert.deepEqual(order.toSorted(), ["datasync", "open", "rename", "syncDirectory", "syncDirectory"]);
  assert.equal(order[0], "open");
  assert.ok(order.indexOf("datasync") < order.indexOf("rename"));
  assert.ok(order.indexOf("rename") < order.lastIndexOf("syncDirectory"));
});

test("a large blob is flushed while it arrives, so that the last flush is short", async () => {
  await using dir = await temporaryDirectory();
  const disk = new ForgetfulDisk(dir.path);
  const store = await openTestObjects(dir.path, { operations: disk.operations() });
  const content = contentOf(1, 40 * MIB);
  const pieces = Array.from({ length: 40 }, (_, i) => Uint8Array.from(content.subarray(i * MIB, (i + 1) * MIB)));
  const staged = await store.objects.write("org_a", Readable.from(pieces), { ...LIMIT, ownsChunks: true });
  await linkNow(store, staged);
  assert.equal(pieces[0]?.byteLength, 0, "memory of written bytes is released at once");
  const early = disk.events.slice(0, disk.events.indexOf("rename")).filter((name) => name === "datasync");
  assert.ok(early.length >= 3, disk.events.join());
  assert.ok((await readAll(store, staged.id)).equals(content));
  await store.close();
});

test("the simulated power failure detects each missing flush", async () => {
  const unwritten = await afterPowerFailure(["datasync"]);
  assert.deepEqual(unwritten.found, ["missing", "missing", "missing", "missing"]);
  const unnamed = await afterPowerFailure(["syncDirectory"]);
  assert.ok(unnamed.found.includes("missing"), unnamed.found.join());
});

const CODES = {
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EIO: "unavailable",
  EMFILE: "unavailable",
  EROFS: "unavailable",
} as const;

function failing(name: keyof FileOperations, code: string, after: { calls: number }): FileOperations {
  const fail = async (...args: never[]): Promise<never> => {
    if (after.calls-- > 0) return (OPERATIONS[name] as (...args: never[]) => Promise<never>)(...args);
    throw Object.assign(new Error(`${code}: ${name}`), { code });
  };
  return { ...OPERATIONS, [name]: fail };
}

for (const name of ["open", "writev", "datasync", "rename", "syncDirectory"] as const) {
  test(`${name} that fails is a clean error, and leaves nothing`, async () => {
    for (const [code, expected] of Object.entries(CODES)) {
      const place = await filesystemPlace();
      const after = { calls: name === "writev" ? 1 : 0 };
      const store = await place.open({ operations: failing(name, code, after) });
      const input = Readable.from(piecesOf(contentOf(1, 3 * MIB)));
      await assert.rejects(store.objects.write("org_a", input, LIMIT), (error: unknown) => {
        assert.ok(error instanceof Problem && error.code === expected && !error.isCallers, String(error));
        assert.equal(error.options.retryAfterS, 5);
        return true;
      });
      await assertNothingLeft(store, place);
      assert.equal(store.objects.health().ok, false);
      after.calls = Number.MAX_SAFE_INTEGER;
      const staged = await store.objects.write("org_a", contentOf(1, 3 * MIB), LIMIT);
      await linkNow(store, staged);
      assert.ok((await readAll(store, staged.id)).equals(contentOf(1, 3 * MIB)));
      assert.equal(store.objects.health().ok, true);
      await store.close();
      await place.remove();
    }
  });
}

test("a failed write on a disk that allows no removal is cleaned up later", async () => {
  const place = await filesystemPlace();
  const broken = async (): Promise<never> => {
    throw Object.assign(new Error("EIO"), { code: "EIO" });
  };
  const store = await place.open({ operations: { ...OPERATIONS, syncDirectory: broken, remove: broken } });
  await mkdir(join(place.path, "objects/blobs"), { recursive: true });
  await assert.rejects(store.objects.write("org_a", contentOf(1, MIB), LIMIT), Problem);
  await store.close();
  const again = await place.open({ clock: store.clock });
  await again.objects.collect();
  await assertNothingLeft(again, place);
  assert.deepEqual(await storedIds(again), []);
  await again.close();
  await place.remove();
});

test("a failed deletion is retried", async () => {
  const place = await filesystemPlace();
  let isBroken = true;
  const remove = async (path: string): Promise<void> => {
    if (isBroken) throw Object.assign(new Error("EIO"), { code: "EIO" });
    await OPERATIONS.remove(path);
  };
  const store = await place.open({ operations: { ...OPERATIONS, remove } });
  await makeThings(store);
  await keepThing(store, "thing", contentOf(1, MIB));
  await dropThing(store, "thing");
  store.clock.advance(GRACE_MS + 1);
  await store.objects.collect();
  assert.equal((await storedIds(store)).length, 1);
  assert.deepEqual(await named(store), []);
  isBroken = false;
  await store.objects.collect();
  await assertNothingLeft(store, place);
  await store.close();
  await place.remove();
});

test("a blob whose write was interrupted before it reached the disk is deleted like others", async () => {
  await using dir = await temporaryDirectory();
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const driver = await openFilesystem({ dataDir: dir.path, clock: systemClock, log, diskFreeBytesMin: 0 });
  const id = newId("blob", systemClock.nowMs());
  assert.deepEqual(await driver.delete([{ id, complete: false }]), [id]);
  await driver.close();
});
