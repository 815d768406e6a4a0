import assert from "node:assert/strict";
import { copyFile, cp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CompactionProcess } from "./compaction/process.ts";
import type { CompactionRunner } from "./compaction/protocol.ts";
import { layoutOf } from "./layout.ts";
import type { RowStoreOptions } from "./rows.ts";
import { logBatch, openTestStore, readMessages, recordingLog, temporaryDirectory } from "./testing/store.ts";

const ORG = "org_a";
const HOLDER = "org_holder";
const DATABASE = ["mooring.db", "mooring.db-wal", "mooring.db-shm"];

interface Disk {
  readonly dataDir: string;
  readonly root: string;
  readonly folder: string;
  readonly replacing: string;
  readonly quarantine: string;
}

const diskOf = (dataDir: string): Disk => {
  const { root, parquet, replacing, quarantine } = layoutOf(dataDir);
  return { dataDir, root, folder: join(parquet, ORG, "logs"), replacing, quarantine };
};

/** Appends and compacts: one Parquet file for each message. */
async function fill(
  dataDir: string,
  messages: readonly string[],
  change: Partial<RowStoreOptions> = {},
): Promise<void> {
  const { rows, close } = await openTestStore(dataDir, change);
  for (const message of messages) {
    await rows.append(logBatch(ORG, [message]));
    await rows.compact();
  }
  await close();
}

/** Compacts everything except the rows of one organization. Its first batch keeps all later ones in the log. */
function holdingTheLog(workDir: string): CompactionRunner {
  const real = new CompactionProcess({
    workDir,
    memoryBytes: 256 * 1024 * 1024,
    threads: 1,
    timeoutMs: 60_000,
    idleMs: 10_000,
  });
  let refusing = false;
  return {
    run: async (job) => {
      const inputs = job.kind === "erase" ? [job.input] : job.inputs;
      const paths = inputs.map((input) => (typeof input === "string" ? input : input.path)).join();
      if (paths.includes("/hot/")) refusing = paths.includes(HOLDER);
      if (refusing) throw new Error("refused");
      return real.run(job);
    },
    close: () => real.close(),
  };
}

async function readBack(dataDir: string): Promise<{ messages: string[]; errors: string[] }> {
  const log = recordingLog();
  const { rows, close } = await openTestStore(dataDir, { log });
  const messages = (await readMessages(rows, ORG)).toSorted();
  await close();
  const errors = log.lines.filter(({ level }) => level === "error");
  return { messages, errors: errors.map(({ message }) => message) };
}

const UNKNOWN = "a parquet file is not in the manifest, and its rows are not in the log: is this the right database?";
const MISSING = "a parquet file of the manifest is missing on disk";

async function saveDatabase(dataDir: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of DATABASE) await copyFile(join(dataDir, name), join(to, name)).catch(() => undefined);
}

async function putDatabase(from: string, dataDir: string): Promise<void> {
  for (const name of DATABASE) await rm(join(dataDir, name), { force: true });
  for (const name of DATABASE) await copyFile(join(from, name), join(dataDir, name)).catch(() => undefined);
}

async function mergeAll(dataDir: string): Promise<void> {
  const { rows, metadata, close } = await openTestStore(dataDir);
  await rows.merge();
  const left = () => metadata.read.selectFrom("telemetry_file").select("id").execute();
  for (const deadline = performance.now() + 60_000; (await left()).length > 1;)
    assert.ok((await delay(5, performance.now())) < deadline, "the inputs were not deleted");
  await close();
}

const MESSAGES = ["a", "b", "c", "d", "e", "f", "g", "h"];

test("a merge that was published but not committed is removed, with its note", async () => {
  await using dir = await temporaryDirectory();
  const disk = diskOf(dir.path);
  await fill(dir.path, ["one", "two"]);
  const inputs = await readdir(disk.folder);
  const added = "1-2-seg_merged.parquet";
  await copyFile(join(disk.folder, inputs[0] ?? ""), join(disk.folder, added));
  const relative = (name: string): string => `parquet/${ORG}/logs/${name}`;
  const note = { dropped: inputs.map(relative), added: [relative(added)] };
  await writeFile(join(disk.replacing, "seg_merged.json"), JSON.stringify(note));
  await writeFile(join(disk.replacing, "seg_half.json"), '{"dropped":["par');
  assert.deepEqual(await readBack(dir.path), { messages: ["one", "two"], errors: [] });
  assert.deepEqual((await readdir(disk.folder)).toSorted(), inputs.toSorted());
  assert.deepEqual(await readdir(disk.replacing), []);
  assert.deepEqual(await readdir(disk.quarantine), []);
});

test("a merge whose input another change has dropped was not committed: its file and note are removed", async () => {
  await using dir = await temporaryDirectory();
  const disk = diskOf(dir.path);
  await fill(dir.path, ["one", "two"]);
  const inputs = await readdir(disk.folder);
  const added = "1-2-seg_merged.parquet";
  await copyFile(join(disk.folder, inputs[0] ?? ""), join(disk.folder, added));
  const relative = (name: string): string => `parquet/${ORG}/logs/${name}`;
  const note = { dropped: inputs.map(relative), added: [relative(added)] };
  await writeFile(join(disk.replacing, "seg_merged.json"), JSON.stringify(note));
  const records = new DatabaseSync(join(dir.path, DATABASE[0] ?? ""));
  records.prepare("update telemetry_file set dropped_at = 1 where path = ?").run(relative(inputs[0] ?? ""));
  records.close();
  const { messages, errors } = await readBack(dir.path);
  assert.equal(messages.length, 1);
  assert.deepEqual(errors, []);
  assert.deepEqual(await readdir(disk.folder), inputs.slice(1));
  assert.deepEqual(await readdir(disk.replacing), []);
  assert.deepEqual(await readdir(disk.quarantine), []);
});

test("without one input, the merged file may be the only copy: it is kept aside, and its note stays", async () => {
  await using dir = await temporaryDirectory();
  const disk = diskOf(dir.path);
  await fill(dir.path, ["one", "two"]);
  const inputs = await readdir(disk.folder);
  const added = "1-2-seg_merged.parquet";
  await copyFile(join(disk.folder, inputs[0] ?? ""), join(disk.folder, added));
  await rm(join(disk.folder, inputs[0] ?? ""));
  const relative = (name: string): string => `parquet/${ORG}/logs/${name}`;
  const note = { dropped: inputs.map(relative), added: [relative(added)] };
  await writeFile(join(disk.replacing, "seg_merged.json"), JSON.stringify(note));
  const log = recordingLog();
  await (await openTestStore(dir.path, { log })).close();
  assert.deepEqual(log.lines.map(({ message }) => message).toSorted(), [UNKNOWN, MISSING].toSorted());
  assert.deepEqual(await readdir(disk.quarantine), [added]);
  assert.deepEqual(await readdir(disk.replacing), ["seg_merged.json"]);
});

test("a database from before a merge keeps the merged file aside; the right database has all rows again", async () => {
  await using dir = await temporaryDirectory();
  const disk = diskOf(join(dir.path, "data"));
  await mkdir(disk.dataDir);
  await fill(disk.dataDir, MESSAGES);
  const [older, newer] = [join(dir.path, "older"), join(dir.path, "newer")];
  await saveDatabase(disk.dataDir, older);
  await mergeAll(disk.dataDir);
  await saveDatabase(disk.dataDir, newer);
  const [merged = ""] = await readdir(disk.folder);
  await putDatabase(older, disk.dataDir);
  const log = recordingLog();
  await (await openTestStore(disk.dataDir, { log })).close();
  assert.equal(log.lines.filter(({ message }) => message === MISSING).length, MESSAGES.length);
  assert.deepEqual(await readdir(disk.quarantine), [merged]);
  await cp(join(disk.quarantine, merged), join(disk.folder, merged));
  await putDatabase(newer, disk.dataDir);
  assert.deepEqual(await readBack(disk.dataDir), { messages: MESSAGES, errors: [] });
});

test("a merged file is not deleted if the database has only some of its inputs, although the log has some of its rows", async () => {
  await using dir = await temporaryDirectory();
  const disk = diskOf(join(dir.path, "data"));
  await mkdir(disk.dataDir);
  const hold = (): Partial<RowStoreOptions> => ({ runner: holdingTheLog(disk.dataDir) });
  const first = await openTestStore(disk.dataDir, hold());
  await first.rows.append(logBatch(HOLDER, ["holds the log"]));
  await first.close();
  await fill(disk.dataDir, MESSAGES.slice(0, 4), hold());
  const older = join(dir.path, "older");
  await saveDatabase(disk.dataDir, older);
  await fill(disk.dataDir, MESSAGES.slice(4), hold());
  await mergeAll(disk.dataDir);
  const [merged = ""] = await readdir(disk.folder);
  assert.match(merged, /^2-9-/);
  await putDatabase(older, disk.dataDir);
  const { rows, close } = await openTestStore(disk.dataDir);
  assert.equal(rows.health().hotRows, 1 + MESSAGES.length / 2, "the log has the rows that the database lacks");
  await close();
  assert.deepEqual(await readdir(disk.quarantine), [merged], "only this file has the other rows");
});
