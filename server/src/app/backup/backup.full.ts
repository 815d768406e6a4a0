import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
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
import { createBackup, refuseHalfRestored, restoreBackup } from "./index.ts";
import { deleteBackup, keptBackups, pruneBackups } from "./kept.ts";

const CONTENT = Buffer.alloc(100_000, "x");

let directory: string;
let dataDir: string;
let to: string;
let metadata: MetadataStore;
let objects: ObjectStore;
let blobId: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-backup-"));
  [dataDir, to] = [join(directory, "data"), join(directory, "backups")];
  mkdirSync(dataDir, { mode: 0o700 });
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

async function made(options: { withMasterKey?: boolean; at?: number } = {}): Promise<string> {
  const { withMasterKey = false, at } = options;
  const clock = at === undefined ? systemClock : { nowMs: () => at };
  return (await createBackup({ dataDir, to, withMasterKey, version: "1.2.3", clock })).name;
}

const blobIn = (root: string): string => join(root, "objects/blobs", blobId.slice(-2), blobId);

test("a restore equals the backup, and linked content becomes a separate file", async () => {
  const name = await made();
  const [kept] = await keptBackups(to);
  assert.equal(kept?.manifest?.linked_bytes, CONTENT.length);
  const target = join(directory, "new");
  await restoreBackup(join(to, name), target);
  assert.deepEqual(readFileSync(blobIn(target)), CONTENT);
  writeFileSync(blobIn(target), "changed");
  assert.deepEqual(readFileSync(blobIn(join(to, name, "data"))), CONTENT, "the backup is unchanged");
  assert.deepEqual(readdirSync(target).toSorted(), ["mooring.db", "objects"]);
  const restored = await openMetadata({ url: undefined, dataDir: target, clock: trustedClock(systemClock) });
  const row = await restored.read.selectFrom("blob").select("id").executeTakeFirst();
  await restored.close();
  assert.equal(row?.id, blobId);
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
  const { name } = await createBackup({
    dataDir: older,
    to,
    withMasterKey: false,
    version: "1.2.2",
    clock: systemClock,
  });
  const target = join(directory, "new");
  await restoreBackup(join(to, name), target);
  const restored = await openMetadata({ url: undefined, dataDir: target, clock: trustedClock(systemClock) });
  try {
    const archived = await projectByName(restored.read, "org_1", "old");
    assert.deepEqual([archived?.state, archived?.state_since], ["archived", 1_700_000_000_123]);
    assert.equal((await projectByName(restored.read, "org_1", "open"))?.state, "active");
  } finally {
    await restored.close();
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

test("the backup has the master key only on request", async () => {
  writeFileSync(join(dataDir, "master.key"), "secret", { mode: 0o600 });
  const without = await made();
  assert.ok(!existsSync(join(to, without, "data/master.key")));
  const name = await made({ withMasterKey: true });
  assert.equal(readFileSync(join(to, name, "data/master.key"), "utf8"), "secret");
});

test("a file that is missing or incomplete makes the backup fail", async () => {
  writeFileSync(blobIn(dataDir), "short");
  await assert.rejects(made(), /has 5 bytes, but the records say 100000/);
  rmSync(blobIn(dataDir));
  await assert.rejects(made(), /ENOENT/);
  assert.deepEqual(await keptBackups(to), []);
});

test("an interrupted backup is not restored", async () => {
  const name = await made();
  rmSync(join(to, name, "backup.json"));
  const [kept] = await keptBackups(to);
  assert.deepEqual(kept, { name, manifest: null });
  await assert.rejects(restoreBackup(join(to, name), join(directory, "new")), /was not finished/);
  assert.ok(!existsSync(join(directory, "new")));
});

test("an altered, cut or missing file, or an altered list, is found before anything is restored", async () => {
  const name = await made();
  const spoil: Record<string, (root: string) => void> = {
    "its checksum differs": (root) => writeFileSync(blobIn(join(root, "data")), Buffer.alloc(100_000, "y")),
    "has 3 bytes but should have 100000": (root) => writeFileSync(blobIn(join(root, "data")), "abc"),
    "is missing": (root) => rmSync(blobIn(join(root, "data"))),
    "files.ndjson was altered": (root) => writeFileSync(join(root, "files.ndjson"), ""),
  };
  for (const [message, how] of Object.entries(spoil)) {
    const spoiled = join(directory, "spoiled");
    cpSync(join(to, name), spoiled, { recursive: true });
    how(spoiled);
    const target = join(directory, "new");
    await assert.rejects(restoreBackup(spoiled, target), new RegExp(message));
    assert.deepEqual(readdirSync(target), [], message);
    rmSync(spoiled, { recursive: true });
  }
});

test("a link in the place of a file is not followed", async () => {
  const name = await made();
  const inside = blobIn(join(to, name, "data"));
  cpSync(inside, join(directory, "outside"));
  rmSync(inside);
  symlinkSync(join(directory, "outside"), inside);
  await assert.rejects(restoreBackup(join(to, name), join(directory, "new")), /is missing/);
});

test("a directory with files, or with an interrupted restore, is refused", async () => {
  const name = await made();
  await assert.rejects(restoreBackup(join(to, name), dataDir), /is not empty/);
  const target = join(directory, "half");
  mkdirSync(join(target, ".restoring"), { recursive: true });
  assert.throws(() => refuseHalfRestored(target), /was interrupted/);
  refuseHalfRestored(dataDir);
});

test("old and unfinished backups are deleted; the newest and other files stay", async () => {
  const first = Date.UTC(2026, 10, 22);
  const names = [];
  for (let n = 0; n < 4; n++) names.push(await made({ at: first + n * 1000 }));
  rmSync(join(to, names[1] ?? "", "backup.json"));
  writeFileSync(join(to, "notes.txt"), "mine");
  assert.deepEqual((await pruneBackups(to, 2)).toSorted(), names.slice(0, 2));
  assert.deepEqual(readdirSync(to).toSorted(), [...names.slice(2), "notes.txt"].toSorted());
  assert.equal(await deleteBackup(to, "../data"), false);
  assert.equal(await deleteBackup(to, "notes.txt"), false);
  assert.equal(await deleteBackup(to, names[3] ?? ""), true);
  assert.deepEqual(
    (await keptBackups(to)).map((kept) => kept.name),
    [names[2]],
  );
});

test("two backups in one second have different names", async () => {
  const at = Date.UTC(2026, 10, 22);
  assert.notEqual(await made({ at }), await made({ at }));
  assert.equal((await keptBackups(to)).length, 2);
});
