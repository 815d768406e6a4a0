import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "#kernel/time.ts";
import { Schedule } from "#stores/jobs/index.ts";
import { openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { Manifest, ManifestChanged, type ManifestFile } from "../manifest.ts";
import { openRows, type RowStore } from "../rows.ts";
import { batchOf, readEach } from "../testing/rows.ts";
import {
  fileCounts,
  logBatch,
  openTestStore,
  readMessages,
  recordingLog,
  temporaryDirectory,
  testSettings,
} from "../testing/store.ts";
import { CompactionProcess } from "./process.ts";
import type { CompactionRunner } from "./protocol.ts";

const processIn = (workDir: string): CompactionProcess =>
  new CompactionProcess({ workDir, memoryBytes: 256 * 1024 * 1024, threads: 1, timeoutMs: 60_000, idleMs: 10_000 });

async function until(isDone: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const deadline = performance.now() + 60_000; !(await isDone()); await delay(5))
    assert.ok(performance.now() < deadline, `waited for: ${what}`);
}

/** Adds enough files for a merge, each with one row for each of two days. */
async function fill(rows: RowStore, orgId = "org_a", files = 8): Promise<string[]> {
  const messages: string[] = [];
  for (let file = 0; file < files; file++) {
    const ofFile = ["20", "19"].map((day, i) => {
      // The times of one day overlap, those of the other do not.
      const second = i === 0 ? [file, 59 - file] : [file * 2, file * 2 + 1];
      return second.map((s) => ({
        timestamp: `2024-11-${day}T08:00:${String(s).padStart(2, "0")}.000000Z`,
        level: "info",
        message: `${orgId} ${day} ${file} ${s}`,
      }));
    });
    await rows.append(batchOf("logs", ofFile.flat(), orgId));
    await rows.compact();
    messages.push(...ofFile.flat().map(({ message }) => message));
  }
  return messages.toSorted();
}

const sorted = async (rows: RowStore, orgId = "org_a"): Promise<string[]> =>
  (await readMessages(rows, orgId)).toSorted();

test("small files of a day are merged into one, sorted by time; running queries finish with the old files", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  const expected = await fill(store.rows);
  assert.deepEqual(await fileCounts(store.rows, "org_a"), { parquet: 16, hot: 0 });
  const before = await store.rows.snapshot("org_a");
  await store.rows.merge();
  const each = await readEach(store.rows, "logs", 'epoch_us("timestamp")::DOUBLE AS us');
  assert.equal(each.length, 2);
  for (const file of each) {
    const times = file.rows.map(({ us }) => Number(us));
    assert.equal(times.length, 16);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
  }
  assert.deepEqual(await sorted(store.rows), expected);
  const states = () => store.metadata.read.selectFrom("telemetry_file").select(["path", "dropped_at"]).execute();
  assert.ok(
    before.tables.logs.parquet.every(({ path }) => existsSync(path)),
    "a query still reads them",
  );
  assert.equal((await states()).filter(({ dropped_at: at }) => at !== null).length, 16);
  before.release();
  await until(async () => (await states()).length === 2, "the inputs to leave the manifest");
  assert.ok(!before.tables.logs.parquet.some(({ path }) => existsSync(path)));
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "replacing")), []);
  await store.close();
});

for (const { kind, skip } of DATABASES) {
  test(
    `files are replaced and deleted in the ${kind} database, and a deleted file is not replaced again`,
    { skip },
    async () => {
      await using dir = await temporaryDirectory();
      const url = kind === "sqlite" ? undefined : await postgresUrl(dir.path);
      const metadata = await openMetadata({ url, dataDir: dir.path, clock: trustedClock(systemClock) });
      const manifest = new Manifest(metadata, "store_1");
      const file = (id: string): ManifestFile => ({
        id,
        org_id: "org_a",
        type: "logs",
        path: id,
        rows: 1,
        bytes: 1,
        min_us: Number.MIN_SAFE_INTEGER,
        max_us: Number.MAX_SAFE_INTEGER,
        day: "2026-11-20",
        promoted: "[]",
        created_at: 1,
        spellings: 1,
      });
      const many = Array.from({ length: 250 }, (_, i) => `file ${i}`);
      await manifest.commit("org_a", "logs", 0, 1, many.map(file));
      const live = async (): Promise<string[]> => (await manifest.loadTable("org_a", "logs")).files.map(({ id }) => id);
      await manifest.replace(many.slice(1), [file("merged")], 2);
      assert.deepEqual((await live()).toSorted(), ["file 0", "merged"]);
      await assert.rejects(manifest.replace(["file 0", "file 1"], [file("other")], 3), ManifestChanged);
      await assert.rejects(new Manifest(metadata, "store_2").replace(["file 0"], [], 3), ManifestChanged);
      assert.deepEqual((await live()).toSorted(), ["file 0", "merged"]);
      await manifest.forget(many);
      assert.deepEqual(
        [...(await manifest.paths()).keys()].toSorted(),
        ["file 0", "merged"],
        "live files are not deleted",
      );
      await metadata.close();
    },
  );
}

test("the next start deletes the files, and their manifest rows, that a query held when the process ended", async () => {
  await using dir = await temporaryDirectory();
  let store = await openTestStore(dir.path);
  const expected = await fill(store.rows);
  await store.rows.snapshot("org_a"); // This snapshot is never released.
  await store.rows.merge();
  await store.close();
  const log = recordingLog();
  store = await openTestStore(dir.path, { log });
  assert.deepEqual(await sorted(store.rows), expected);
  const files = await readdir(join(dir.path, "telemetry", "parquet", "org_a", "logs"));
  assert.equal(files.length, 2);
  assert.equal((await store.metadata.read.selectFrom("telemetry_file").select("id").execute()).length, 2);
  assert.deepEqual(log.lines, []);
  await store.close();
});

test("a failed merge is retried later without the unreadable file, and stops nothing else", async () => {
  await using dir = await temporaryDirectory();
  const log = recordingLog();
  let later = 0;
  const clock = { nowMs: () => Date.now() + later };
  const { rows, close } = await openTestStore(dir.path, { log, clock });
  const [broken, whole] = [await fill(rows, "org_a"), await fill(rows, "org_b")];
  const { tables, release } = await rows.snapshot("org_a");
  release();
  const path = tables.logs.parquet[0]?.path ?? "";
  const content = await readFile(path);
  await writeFile(path, "damaged");
  await rows.merge();
  await rows.merge();
  const failures = log.lines.filter(({ message }) => message === "cannot merge telemetry files");
  assert.deepEqual(
    failures.map(({ fields }) => [fields["org_id"], fields["retry_in_ms"]]),
    [["org_a", 30_000]],
  );
  assert.equal((await fileCounts(rows, "org_b")).parquet, 2);
  assert.deepEqual(await sorted(rows, "org_b"), whole);
  assert.equal((await fileCounts(rows, "org_a")).parquet, 9, "the other day was merged");
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "work")), []);
  later = 900_000; // The delay is over and no more files arrive, so seven files are enough.
  await rows.merge();
  assert.equal((await fileCounts(rows, "org_a")).parquet, 3, "the damaged file, and the others of both days");
  await writeFile(path, content);
  assert.deepEqual(await sorted(rows), broken);
  later = 7 * 3_600_000;
  await rows.merge();
  assert.equal((await fileCounts(rows, "org_a")).parquet, 2);
  assert.deepEqual(await sorted(rows), broken);
  await close();
});

test("a merge whose rows differ in number from its inputs is refused", async () => {
  await using dir = await temporaryDirectory();
  const real = processIn(dir.path);
  const mergeRunner: CompactionRunner = {
    run: async (job) => (await real.run(job)).map((file) => ({ ...file, rows: file.rows + 1 })),
    close: () => real.close(),
  };
  const { rows, close } = await openTestStore(dir.path, { mergeRunner });
  const expected = await fill(rows);
  await rows.merge();
  assert.equal((await fileCounts(rows, "org_a")).parquet, 16);
  assert.deepEqual(await sorted(rows), expected);
  await close();
});

test("compaction keeps up during a long merge, and a stop ends the merge", async () => {
  await using dir = await temporaryDirectory();
  const { promise: ended, reject: end } = Promise.withResolvers<never>();
  ended.catch(() => {});
  let asked = 0;
  const mergeRunner: CompactionRunner = {
    run: () => {
      asked += 1;
      return ended;
    },
    close: () => Promise.resolve(end(new Error("the process ended"))),
  };
  const { rows, close } = await openTestStore(dir.path, { mergeRunner });
  const expected = await fill(rows);
  const merging = rows.merge();
  await until(() => asked === 1, "a merge");
  await rows.append(logBatch("org_a", ["meanwhile"]));
  await rows.compact();
  assert.equal((await fileCounts(rows, "org_a")).parquet, 17);
  assert.deepEqual(await sorted(rows), [...expected, "meanwhile"].toSorted());
  await Promise.all([close(), merging]);
});

test("a merge whose input was dropped ends: its files are deleted, no error is reported, and the rest is merged", async () => {
  await using dir = await temporaryDirectory();
  const log = recordingLog();
  const metadata = await openMetadata({ url: undefined, dataDir: dir.path, clock: trustedClock(systemClock) });
  const real = processIn(dir.path);
  let overtaken = "";
  const mergeRunner: CompactionRunner = {
    run: async (job) => {
      const made = await real.run(job);
      if (overtaken !== "") return made;
      // Another process has dropped one of the inputs meanwhile.
      const [file] = await metadata.read.selectFrom("telemetry_file").select("id").orderBy("id").execute();
      overtaken = file?.id ?? "";
      await metadata.write(async (tx) => {
        await tx.updateTable("telemetry_file").set({ dropped_at: 1 }).where("id", "=", overtaken).execute();
      });
      return made;
    },
    close: () => real.close(),
  };
  const options = { dataDir: dir.path, metadata, clock: trustedClock(systemClock), settings: testSettings() };
  const rows = await openRows({ ...options, schedule: new Schedule(systemClock), log, mergeRunner });
  await fill(rows, "org_a", 9);
  await rows.merge();
  assert.equal((await fileCounts(rows, "org_a")).parquet, 2);
  assert.equal((await readMessages(rows, "org_a")).length, 34, "all but the two rows of the file that was dropped");
  assert.deepEqual(
    log.lines.filter(({ level }) => level === "error" || level === "warn"),
    [],
  );
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "replacing")), []);
  assert.deepEqual(await readdir(join(dir.path, "telemetry", "work")), []);
  const { merges, mergedBytes, parquetFiles, parquetBytes } = rows.health();
  assert.deepEqual([merges, parquetFiles], [2, 2]);
  assert.equal(mergedBytes, parquetBytes);
  await rows.close();
  await metadata.close();
});

for (const committed of [true, false]) {
  test(`a merge whose commit has no answer, and was ${committed ? "" : "not "}made, neither loses nor doubles rows`, async () => {
    await using dir = await temporaryDirectory();
    const metadata = await openMetadata({ url: undefined, dataDir: dir.path, clock: trustedClock(systemClock) });
    let losing = false;
    const lossy: MetadataStore = Object.create(metadata, {
      write: {
        value: async (work: Parameters<MetadataStore["write"]>[0]) => {
          if (losing && !committed) throw new Error("the connection broke before the commit");
          const result = await metadata.write(work);
          if (losing) throw new Error("the connection broke after the commit");
          return result;
        },
      },
      read: { get: () => metadata.read },
    });
    const options = { dataDir: dir.path, metadata: lossy, clock: trustedClock(systemClock), settings: testSettings() };
    const rows = await openRows({ ...options, schedule: new Schedule(systemClock), log: recordingLog() });
    const expected = await fill(rows);
    losing = true;
    await rows.merge();
    assert.deepEqual(await sorted(rows), expected);
    assert.equal((await fileCounts(rows, "org_a")).parquet, committed ? 2 : 16);
    losing = false;
    await rows.close();
    await metadata.close();
    const log = recordingLog();
    const again = await openTestStore(dir.path, { log });
    assert.deepEqual(await sorted(again.rows), expected);
    await again.rows.merge();
    assert.deepEqual(await sorted(again.rows), expected);
    const folder = join(dir.path, "telemetry", "parquet", "org_a", "logs");
    await until(async () => (await readdir(folder)).length === 2, "the inputs to be deleted");
    assert.deepEqual(await readdir(join(dir.path, "telemetry", "replacing")), []);
    assert.deepEqual(
      log.lines.filter(({ level }) => level === "error"),
      [],
    );
    await again.close();
  });
}
