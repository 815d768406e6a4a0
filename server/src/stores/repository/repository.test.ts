import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { newBackupKey, pruneRepository, spareBackups, verifyRepository } from "./index.ts";
import { RepositoryWriter } from "./repository.ts";
import { systemClock } from "#kernel/time.ts";
import { backUp, restored, temporaryArchive, type TestFiles } from "./testing.ts";

const KEY = newBackupKey();
const digest = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

function filesOf(changing: Buffer, ...contents: Buffer[]): TestFiles {
  const entries = contents.map((content, n) => [
    `objects/${n}`,
    { content, sha256: n % 2 === 0 ? digest(content) : null },
  ]);
  return { changing, fixed: Object.fromEntries(entries) as TestFiles["fixed"] };
}

test("a backup has every file, and a second one adds only what has changed", async () => {
  const { archive, remove } = await temporaryArchive();
  try {
    const changing = randomBytes(300_000);
    const files = filesOf(changing, randomBytes(5_000_000), randomBytes(70_000), Buffer.alloc(0));
    const first = await backUp(archive, KEY, files);
    assert.ok(first.addedBytes > 5_300_000);
    changing.writeUInt8(changing.readUInt8(200_000) ^ 1, 200_000);
    const second = await backUp(archive, KEY, files);
    assert.ok(second.addedBytes < 80_000, `${second.addedBytes} bytes`);
    assert.notEqual(second.name, first.name);
    const found = await restored(archive, KEY, second.name);
    assert.deepEqual(found.get("changing"), changing);
    for (const [path, { content }] of Object.entries(files.fixed)) assert.ok(found.get(path)?.equals(content), path);
    assert.equal((await verifyRepository(archive, { backupKey: KEY, part: 1, turn: 0 })).faults.length, 0);
  } finally {
    remove();
  }
});

test("one flipped bit in any file is refused, and the error names the file", async () => {
  const { archive, path, remove } = await temporaryArchive();
  try {
    const { name } = await backUp(archive, KEY, filesOf(randomBytes(70_000), randomBytes(1_000)));
    const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.equal(files.length, 4, "config, a pack, an index and a backup");
    for (const entry of files) {
      const at = join(entry.parentPath, entry.name);
      const whole = readFileSync(at);
      const bit = 8 * Math.floor(whole.length / 2);
      const altered = Buffer.from(whole);
      altered.writeUInt8(altered.readUInt8(bit / 8) ^ 1, bit / 8);
      writeFileSync(at, altered);
      const expected = new RegExp(`${entry.name}.*(was altered|names backup key)`);
      await assert.rejects(restored(archive, KEY, name), expected, entry.name);
      const { faults } = await verifyRepository(archive, { backupKey: KEY, part: 1, turn: 0 });
      assert.match(faults.join("\n"), expected, entry.name);
      writeFileSync(at, whole);
    }
    const found = await verifyRepository(archive, { backupKey: null, part: 1, turn: 0 });
    assert.deepEqual(found.faults, []);
  } finally {
    remove();
  }
});

test("another key is refused, and so is content that differs from its digest", async () => {
  const { archive, remove } = await temporaryArchive();
  try {
    const good = randomBytes(1_000);
    const { name } = await backUp(archive, KEY, filesOf(good));
    await assert.rejects(restored(archive, newBackupKey(), name), /names backup key [0-9a-f]{16}/);
    const [large, other] = [randomBytes(10_000_000), randomBytes(10_000_000)];
    const wrong: TestFiles = { changing: good, fixed: { large: { content: other, sha256: digest(large) } } };
    await assert.rejects(backUp(archive, KEY, wrong), /cannot back up large: it was altered/);
    const right: TestFiles = { changing: good, fixed: { large: { content: large, sha256: digest(large) } } };
    const made = await backUp(archive, KEY, right);
    assert.ok(
      (await restored(archive, KEY, made.name)).get("large")?.equals(large),
      "nothing of the wrong one is used",
    );
  } finally {
    remove();
  }
});

test("a prune is refused while a backup runs, and removes the lock of a process that has ended", async () => {
  const { archive, path, remove } = await temporaryArchive();
  try {
    await backUp(archive, KEY, filesOf(randomBytes(1_000)));
    const writer = await RepositoryWriter.open(archive, KEY, { clock: systemClock });
    const prune = (): Promise<unknown> => pruneRepository(archive, KEY, { clock: systemClock, retention: null });
    await assert.rejects(prune(), /another process .* uses the backups/);
    await writer.close();
    const ended = { exclusive: false, host: hostname(), pid: 2 ** 22 + 1, atMs: systemClock.nowMs() };
    writeFileSync(join(path, "locks/20261127T120000Z-00.json"), JSON.stringify(ended));
    await prune();
    assert.deepEqual(readdirSync(join(path, "locks")), []);
  } finally {
    remove();
  }
});

test("backups are kept by hour, day, week and month", () => {
  const hourMs = 3_600_000;
  const startMs = Date.UTC(2026, 0, 1);
  const all = Array.from({ length: 24 * 200 }, (_, n) => ({ name: String(n), startedMs: startMs + n * hourMs }));
  const spare = new Set(spareBackups(all, { latest: 3, hourly: 24, daily: 7, weekly: 4, monthly: 6 }));
  const kept = all.filter(({ name }) => !spare.has(name)).map(({ startedMs }) => new Date(startedMs).toISOString());
  assert.equal(kept.filter((at) => at >= "2026-07-19").length, 24);
  assert.deepEqual(
    kept.filter((at) => at < "2026-07-19"),
    "02-28 03-31 04-30 05-31 06-28 06-30 07-05 07-12 07-13 07-14 07-15 07-16 07-17 07-18"
      .split(" ")
      .map((day) => `2026-${day}T23:00:00.000Z`),
  );
});
