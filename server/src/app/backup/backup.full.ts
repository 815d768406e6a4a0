import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, test } from "node:test";
import { pino } from "pino";
import { projectByName } from "#domain/projects/index.ts";
import { systemClock } from "#kernel/time.ts";
import { areDeletionsHeld, holdDeletions } from "#stores/directory/index.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { beginMigrated } from "#stores/metadata/testing.ts";
import { openObjects, type ObjectStore } from "#stores/objects/index.ts";
import { openArchive, type Archive } from "#stores/archive/index.ts";
import { backupNames, newBackupKey, pruneRepository, Repository } from "#stores/repository/index.ts";
import {
  chosenBackup,
  createBackup,
  fillDataDirectory,
  gatherBackup,
  refuseHalfRestored,
  restoreDirectory,
  type Backup,
} from "./index.ts";

const KEY = newBackupKey();
const CONTENT = Buffer.alloc(100_000, "x");

let directory: string;
let dataDir: string;
let to: string;
let archive: Archive;
let metadata: MetadataStore;
let objects: ObjectStore;
let blobId: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-backup-"));
  [dataDir, to] = [join(directory, "data"), join(directory, "backups")];
  mkdirSync(dataDir, { mode: 0o700 });
  archive = await openArchive(to, () => {
    throw new Error("this is a directory");
  });
  metadata = await openMetadata({ url: undefined, dataDir, clock: trustedClock(systemClock) });
  const log = pino({ level: "silent" });
  const settings = { graceMs: 0, collectEveryMs: 0 };
  objects = await openObjects({ dataDir, metadata, clock: trustedClock(systemClock), log, settings });
  const staged = await objects.write("org_a", CONTENT, { bytesMax: 1_000_000 });
  await metadata.write((tx) => objects.link(tx, "org_a", staged));
  blobId = staged.id;
});

afterEach(async () => {
  await objects.close();
  await metadata.close();
  rmSync(directory, { recursive: true });
});

async function made({ from = dataDir, at }: { from?: string; at?: number } = {}): Promise<Backup> {
  const clock = at === undefined ? systemClock : { nowMs: () => at };
  const key = { archive, backupKey: KEY, wrappedMasterKey: null };
  return createBackup({ dataDir: from, ...key, version: "1.2.3", clock });
}

async function restored(name: string, target: string): Promise<void> {
  const repository = await Repository.open(archive, KEY);
  const backup = await chosenBackup(repository, name);
  await fillDataDirectory(target, (gathered) => gatherBackup(repository, backup, gathered, {}));
}

const blobIn = (root: string): string => join(root, "objects/blobs", blobId.slice(-2), blobId);

test("a restore equals the data directory, and a second backup adds almost nothing", async () => {
  const first = await made();
  const second = await made();
  assert.ok(first.added_bytes > CONTENT.length, `${first.added_bytes} bytes`);
  assert.ok(second.added_bytes < 20_000, `${second.added_bytes} bytes`);
  assert.equal(second.facts.counts["organization"], 0);
  const target = join(directory, "new");
  await restored(second.name, target);
  assert.deepEqual(readFileSync(blobIn(target)), CONTENT);
  assert.deepEqual(readdirSync(target).toSorted(), ["mooring.db", "objects"]);
  const found = await openMetadata({ url: undefined, dataDir: target, clock: trustedClock(systemClock) });
  const row = await found.read.selectFrom("blob").select("id").executeTakeFirst();
  await found.close();
  assert.equal(row?.id, blobId);
  assert.ok(!existsSync(join(dataDir, "backup.work")), "the copy of the records is deleted");
});

test("a backup of an older version is restored, and this version upgrades its records", async () => {
  const older = join(directory, "older");
  mkdirSync(older, { mode: 0o700 });
  await beginMigrated(older);
  const db = new DatabaseSync(join(older, "mooring.db"));
  // Undoes migration 0053, to get the database of the version before it.
  db.exec(`
    DROP INDEX project__archived;
    DROP INDEX project__not_archived;
    ALTER TABLE project DROP COLUMN state;
    ALTER TABLE project DROP COLUMN state_since;
    ALTER TABLE project ADD COLUMN archived_at integer;
    CREATE INDEX project__archived ON project (org_id, id) WHERE archived_at IS NOT NULL;
    CREATE INDEX project__open ON project (org_id, id) WHERE archived_at IS NULL;
    DELETE FROM migration WHERE name = '0053-project-states';
    INSERT INTO organization (id, slug, name, token_lifetime_s, policy, created_at) VALUES ('org_1', 'acme', 'Acme', 900, '{}', 1);
    INSERT INTO project (id, org_id, slug, name, visibility, archived_at, created_at) VALUES
      ('proj_1', 'org_1', 'old', 'Old', 'organization', 1700000000123, 1),
      ('proj_2', 'org_1', 'open', 'Open', 'organization', NULL, 1)`);
  db.close();
  const { name } = await made({ from: older });
  const target = join(directory, "new");
  await restored(name, target);
  const upgraded = await openMetadata({ url: undefined, dataDir: target, clock: trustedClock(systemClock) });
  try {
    const archived = await projectByName(upgraded.read, "org_1", "old");
    assert.deepEqual([archived?.state, archived?.state_since], ["archived", 1_700_000_000_123]);
    assert.equal((await projectByName(upgraded.read, "org_1", "open"))?.state, "active");
  } finally {
    await upgraded.close();
  }
});

test("content that is released while a backup runs stays until the backup ends", async () => {
  const release = holdDeletions(dataDir);
  await metadata.write((tx) => objects.unlink(tx, "org_a", [blobId]));
  await new Promise((resolve) => setTimeout(resolve, 5)); // The grace period of zero must be over.
  await objects.collect();
  assert.ok(existsSync(blobIn(dataDir)), "held");
  release();
  await objects.collect();
  assert.ok(!existsSync(blobIn(dataDir)), "deleted at the next collection");
});

test("deletions are held until the hold is released", async () => {
  assert.equal(areDeletionsHeld(dataDir), false);
  const release = holdDeletions(dataDir);
  assert.equal(areDeletionsHeld(dataDir), true);
  release();
  assert.equal(areDeletionsHeld(dataDir), false);
});

test("a file that is missing or incomplete makes the backup fail, and an earlier one stays", async () => {
  writeFileSync(blobIn(dataDir), "short");
  await assert.rejects(made(), /has 5 bytes, but the records say 100000/);
  rmSync(blobIn(dataDir));
  await assert.rejects(made(), /ENOENT/);
  assert.deepEqual(await backupNames(archive), []);
  writeFileSync(blobIn(dataDir), CONTENT);
  await made();
});

test("content with another digest than its record makes the backup fail", async () => {
  writeFileSync(blobIn(dataDir), Buffer.alloc(CONTENT.length, "y"));
  await assert.rejects(made(), /was altered/);
});

test("one flipped bit in a pack is found before anything is restored, and the error names the file", async () => {
  const { name } = await made();
  const packs = readdirSync(join(to, "packs"));
  assert.equal(packs.length, 1);
  const pack = join(to, "packs", packs[0] ?? "");
  const bytes = readFileSync(pack);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 30_000) ^ 0x10, bytes.length - 30_000);
  writeFileSync(pack, bytes);
  const target = join(directory, "new");
  await assert.rejects(restored(name, target), /cannot restore objects\/blobs\/.*packs\/[0-9a-f]{64} .* was altered/);
  assert.deepEqual(readdirSync(target), []);
});

test("a directory with files, or with an interrupted restore, is refused", async () => {
  const { name } = await made();
  await assert.rejects(restored(name, dataDir), /is not empty/);
  const target = join(directory, "half");
  mkdirSync(join(target, ".restoring"), { recursive: true });
  assert.throws(() => refuseHalfRestored(target), /was interrupted/);
  refuseHalfRestored(dataDir);
});

test("old backups are deleted, and other files stay", async () => {
  const first = Date.UTC(2026, 10, 22);
  for (let n = 0; n < 4; n++) await made({ at: first + n * 1000 });
  writeFileSync(join(to, "notes.txt"), "mine");
  const retention = { latest: 2, hourly: 0, daily: 0, weekly: 0, monthly: 0 };
  const { backups } = await pruneRepository(archive, KEY, { clock: systemClock, retention });
  assert.deepEqual(backups, ["20261122T000001Z", "20261122T000000Z"]);
  assert.ok(existsSync(join(to, "notes.txt")));
  await restored("20261122T000003Z", join(directory, "new"));
  await assert.rejects(
    pruneRepository(archive, KEY, { clock: systemClock, retention: null, names: ["20200101T000000Z"] }),
    /there is no backup/,
  );
});

test("two backups in one second have different names", async () => {
  const at = Date.UTC(2026, 10, 22);
  assert.deepEqual([(await made({ at })).name, (await made({ at })).name], ["20261122T000000Z", "20261122T000000Z-2"]);
});

/** A backup of the form before repositories. */
function formerBackup(): string {
  const former = join(to, "mooring-20261122T181500Z");
  cpSync(dataDir, join(former, "data"), {
    recursive: true,
    filter: (path) => !/lock|-(wal|shm)$|\/tmp$/.test(path.slice(directory.length)),
  });
  const db = new DatabaseSync(join(dataDir, "mooring.db"));
  rmSync(join(former, "data/mooring.db"));
  db.prepare("VACUUM INTO ?").run(join(former, "data/mooring.db"));
  db.close();
  const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
  const files = readdirSync(join(former, "data"), { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
  const lines = files.map((entry) => {
    const at = join(entry.parentPath, entry.name);
    const bytes = readFileSync(at);
    const path = at.slice(join(former, "data").length + 1);
    return `${JSON.stringify({ path, size: bytes.length, sha256: digest(bytes) })}\n`;
  });
  writeFileSync(join(former, "files.ndjson"), lines.join(""));
  const manifest = { format: 1, version: "1.2.2", started_at: "2026-11-22T18:15:00.000Z", files: files.length };
  const files_sha256 = digest(Buffer.from(lines.join("")));
  writeFileSync(join(former, "backup.json"), JSON.stringify({ ...manifest, files_sha256 }));
  return former;
}

test("a backup of the former form is restored, and damage in it is found before that", async () => {
  const former = formerBackup();
  await restoreDirectory(former, join(directory, "new"));
  assert.deepEqual(readFileSync(blobIn(join(directory, "new"))), CONTENT);
  const spoil: Record<string, (root: string) => void> = {
    "its checksum differs": (root) => writeFileSync(blobIn(join(root, "data")), Buffer.alloc(100_000, "y")),
    "has 3 bytes but should have 100000": (root) => writeFileSync(blobIn(join(root, "data")), "abc"),
    "is missing": (root) => rmSync(blobIn(join(root, "data"))),
    "files.ndjson was altered": (root) => writeFileSync(join(root, "files.ndjson"), ""),
    "was not finished": (root) => rmSync(join(root, "backup.json")),
  };
  for (const [message, how] of Object.entries(spoil)) {
    const spoiled = join(directory, "spoiled");
    cpSync(former, spoiled, { recursive: true });
    how(spoiled);
    const target = join(directory, "none");
    await assert.rejects(restoreDirectory(spoiled, target), new RegExp(message));
    rmSync(spoiled, { recursive: true });
    rmSync(target, { recursive: true, force: true });
  }
  const inside = blobIn(join(former, "data"));
  cpSync(inside, join(directory, "outside"));
  rmSync(inside);
  symlinkSync(join(directory, "outside"), inside);
  await assert.rejects(restoreDirectory(former, join(directory, "none")), /is missing/);
});
