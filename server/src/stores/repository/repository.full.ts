/** Interrupted backups and prunes, and repositories in a bucket of an S3 store. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { openArchive, type Archive } from "#stores/archive/index.ts";
import { makeBucket, s3Server } from "../../../../tests/fixtures/s3-server.ts";
import { newBackupKey, pruneRepository, verifyRepository, type Retention } from "./index.ts";
import { backUp, restored, temporaryArchive, type TestFiles } from "./testing.ts";

const KEY = newBackupKey();
const LATEST: Retention = { latest: 1, hourly: 0, daily: 0, weekly: 0, monthly: 0 };
const digest = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

function filesOf(contents: readonly Buffer[], changing = randomBytes(200_000)): TestFiles {
  const entries = contents.map((content) => [digest(content), { content, sha256: digest(content) }]);
  return { changing, fixed: Object.fromEntries(entries) as TestFiles["fixed"] };
}

class Killed extends Error {}

/** An archive whose process ends before the change number `at`. */
function dyingAt(archive: Archive, at: number): Archive & { readonly changes: number } {
  let changes = 0;
  const change = async <T>(work: () => Promise<T>): Promise<T> => {
    if (changes >= at) throw new Killed();
    changes += 1;
    return work();
  };
  return {
    name: archive.name,
    get changes() {
      return changes;
    },
    create: (path, content) => change(() => archive.create(path, content)),
    write: (path, content) => change(() => archive.write(path, content)),
    remove: (path) => change(() => archive.remove(path)),
    read: (path, range) => archive.read(path, range),
    sizeOf: (path) => archive.sizeOf(path),
    paths: (folder) => archive.paths(folder),
    finish: () => archive.finish(),
    close: () => archive.close(),
  };
}

async function isWhole(archive: Archive, name: string, files: TestFiles): Promise<void> {
  const found = await restored(archive, KEY, name);
  assert.ok(found.get("changing")?.equals(files.changing));
  for (const [path, { content }] of Object.entries(files.fixed)) assert.ok(found.get(path)?.equals(content), path);
  assert.deepEqual((await verifyRepository(archive, { backupKey: KEY, part: 1, turn: 0 })).faults, []);
}

/** A process that is killed does not remove its lock. Its number is reused here, so the test does that. */
async function withoutLocks(archive: Archive): Promise<void> {
  for (const path of await Array.fromAsync(archive.paths("locks/"))) await archive.remove(path);
}

test("a backup that is killed at any change leaves only garbage, and the next prune deletes it", async () => {
  for (let at = 0; ; at++) {
    const { archive, remove } = await temporaryArchive();
    try {
      const files = filesOf([randomBytes(100_000)]);
      const { name } = await backUp(archive, KEY, files);
      const before = new Set(await Array.fromAsync(archive.paths()));
      const dying = dyingAt(archive, at);
      const more = filesOf([randomBytes(17_000_000), randomBytes(50_000)]);
      const isKilled = await backUp(dying, KEY, more).then(
        () => false,
        (error: unknown) => error instanceof Killed,
      );
      if (!isKilled) {
        assert.ok(at >= 5, `${at} changes`);
        return;
      }
      await withoutLocks(archive);
      await isWhole(archive, name, files);
      await pruneRepository(archive, KEY, { clock: { nowMs: () => Date.now() }, retention: LATEST });
      await isWhole(archive, name, files);
      const left = (await Array.fromAsync(archive.paths())).filter((path) => !before.has(path));
      assert.deepEqual(
        left.filter((path) => !path.startsWith("index/")),
        [],
        `killed at ${at}`,
      );
    } finally {
      remove();
    }
  }
});

test("a prune that is killed at any change keeps every remaining backup, and the next one ends it", async () => {
  for (let at = 0; ; at++) {
    const { archive, remove } = await temporaryArchive();
    try {
      const [shared, old] = [randomBytes(3_000_000), randomBytes(14_000_000)];
      await backUp(archive, KEY, filesOf([shared, old]));
      const files = filesOf([shared, randomBytes(60_000)]);
      const { name } = await backUp(archive, KEY, files);
      const clock = { nowMs: () => Date.now() };
      const isKilled = await pruneRepository(dyingAt(archive, at), KEY, { clock, retention: LATEST }).then(
        () => false,
        (error: unknown) => error instanceof Killed,
      );
      await withoutLocks(archive);
      await isWhole(archive, name, files);
      await pruneRepository(archive, KEY, { clock, retention: LATEST });
      await isWhole(archive, name, files);
      const paths = await Array.fromAsync(archive.paths());
      assert.equal(paths.filter((path) => path.startsWith("backups/")).length, 1);
      let bytes = 0;
      for (const path of paths.filter((each) => each.startsWith("packs/"))) bytes += (await archive.sizeOf(path)) ?? 0;
      assert.ok(bytes < 3_600_000, `${bytes} bytes are left: what nothing needs is deleted`);
      if (isKilled) continue;
      assert.ok(at >= 5, `${at} changes`);
      return;
    } finally {
      remove();
    }
  }
});

test("a repository in a bucket works as one in a directory", async () => {
  const bucket = await makeBucket(await s3Server());
  const { endpoint, accessKeyId, secretAccessKey } = await s3Server();
  const access = { endpoint, region: "us-east-1", accessKeyId, secretAccessKey };
  const archive = await openArchive(`s3://${bucket.name}/in/here`, () => access);
  try {
    const shared = randomBytes(5_000_000);
    await backUp(archive, KEY, filesOf([shared, randomBytes(18_000_000)]));
    const files = filesOf([shared, randomBytes(40_000)]);
    const { name, addedBytes } = await backUp(archive, KEY, files);
    assert.ok(addedBytes < 300_000, `${addedBytes} bytes`);
    await isWhole(archive, name, files);
    assert.equal(await archive.create("config", Buffer.from("another")), false, "a file is never replaced");
    await pruneRepository(archive, KEY, { clock: { nowMs: () => Date.now() }, retention: LATEST });
    await isWhole(archive, name, files);
    assert.equal((await bucket.keys("in/here/backups/")).size, 1);
    assert.equal((await bucket.keys("in/here/locks/")).size, 0);
  } finally {
    archive.close();
    await bucket[Symbol.asyncDispose]();
  }
});
