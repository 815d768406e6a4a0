import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { CompactionProcess } from "../compaction/process.ts";
import type { CompactionJob, CompactionRunner, MadeFile } from "../compaction/protocol.ts";
import { layoutOf } from "../layout.ts";
import { erasureParts, filesBelow, filesWith, requestErasure, rowsOf } from "../testing/retention.ts";
import {
  openTestStore,
  readMessages,
  readParquet,
  recordingLog,
  temporaryDirectory,
  testSettings,
  type OpenStore,
} from "../testing/store.ts";

const ORG = "org_a";
const SECRET = "mallory@example.org";

type Row = Readonly<Record<string, unknown>>;

/** Returns rows. Every `nth` has the values to erase. */
function someRows(count: number, nth: number, at = "2026-11-20T12:00:00.000000Z"): Row[] {
  return Array.from({ length: count }, (_, i) => {
    const user = i % nth === 0 ? SECRET : `user${i}@example.org`;
    return { timestamp: at, level: "info", message: `row ${i} of ${user}`, attributes: { user, n: i } };
  });
}

async function erased(store: OpenStore, id: string): Promise<Awaited<ReturnType<typeof erasureParts>>[number]> {
  await store.rows.lifecycle.eraseDue();
  const [part] = await erasureParts(store.metadata, id);
  assert.ok(part !== undefined);
  return part;
}

test("erased rows are in no file: not in the log, hot files or Parquet; all other rows stay", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  const { root } = layoutOf(dir.path);
  for (const day of ["2026-11-18", "2026-11-19", "2026-11-20"]) {
    await store.rows.append(rowsOf(ORG, "logs", someRows(300, 3, `${day}T12:00:00.000000Z`)));
    await store.rows.compact();
  }
  await store.rows.append(rowsOf(ORG, "logs", someRows(200, 4)));
  await store.rows.append(rowsOf("org_b", "logs", someRows(10, 2))); // Rows that the erasure must not affect.
  await store.rows.append(rowsOf(ORG, "traces", [{ name: "t", attributes: { user: SECRET } }]));
  assert.ok((await filesWith(join(root, "wal"), SECRET)).length > 0);
  const id = await requestErasure(store.metadata, ORG, ["logs"], { attributes: { user: SECRET } });
  const part = await erased(store, id);
  assert.deepEqual([part.state, part.rows_erased, part.files_rewritten], ["done", 350, 4]);
  const messages = await readMessages(store.rows, ORG);
  assert.equal(messages.length, 1100 - 350);
  assert.ok(!messages.some((message) => message.includes(SECRET)));
  const left = (await filesWith(root, SECRET)).map((path) => path.slice(root.length + 1).replace(/\/[^/]*$/, ""));
  assert.deepEqual(left.toSorted(), ["parquet/org_a/traces", "parquet/org_b/logs"]);
  assert.deepEqual(await filesBelow(layoutOf(dir.path).work), []);
  const row = await store.metadata.read.selectFrom("telemetry_erasure").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual([row.match, row.finished_at !== null], [null, true]);
  await store.close();
});

test("an erasure of everything drops all files of the organization, also one that must keep its rows", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path, { kept: async () => new Set([ORG]) });
  for (let file = 0; file < 3; file++) {
    await store.rows.append(rowsOf(ORG, "logs", someRows(100, 3)));
    await store.rows.compact();
  }
  await store.rows.append(rowsOf(ORG, "traces", [{ name: "t", attributes: { user: SECRET } }]));
  await store.rows.append(rowsOf("org_b", "logs", someRows(10, 11)));
  const id = await requestErasure(store.metadata, ORG, ["logs", "metrics", "traces"], { everything: true });
  const part = await erased(store, id);
  assert.deepEqual([part.state, part.rows_erased], ["done", 301]);
  const { root, parquet } = layoutOf(dir.path);
  assert.deepEqual(await filesBelow(join(parquet, ORG)), []);
  assert.deepEqual(await filesWith(root, "org_a"), []);
  assert.equal((await readMessages(store.rows, "org_b")).length, 10);
  await store.close();
});

test("an erasure is limited to a range of time, without the range's end; rows that do not match stay", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  const at = (second: number): string => `2026-11-20T12:00:0${second}.000000Z`;
  const rows = [0, 1, 2, 3].map((second) => ({ timestamp: at(second), message: `second ${second}`, service: "shop" }));
  await store.rows.append(rowsOf(ORG, "logs", [...rows, { timestamp: at(1), message: "no service" }]));
  const [fromUs, toUs] = [1, 3].map((second) => Date.parse(at(second)) * 1000);
  assert.ok(fromUs !== undefined && toUs !== undefined);
  const id = await requestErasure(store.metadata, ORG, ["logs"], { service: "shop" }, { fromUs, toUs });
  assert.equal((await erased(store, id)).rows_erased, 2);
  assert.deepEqual((await readMessages(store.rows, ORG)).toSorted(), ["no service", "second 0", "second 3"]);
  await store.close();
});

test("an erasure keeps promoted columns, types and the order of time", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  store.rows.noteAsked(ORG, "logs", ["user"]);
  await store.rows.append(rowsOf(ORG, "logs", someRows(500, 5)));
  await store.rows.compact();
  const described = async (): Promise<unknown> => {
    const snapshot = await store.rows.snapshot(ORG);
    snapshot.release();
    const [file] = snapshot.tables.logs.parquet;
    assert.ok(file !== undefined);
    const [types] = await readParquet([file], "typeof(COLUMNS(*))");
    return { promoted: file.promoted, types };
  };
  const before = await described();
  const id = await requestErasure(store.metadata, ORG, ["logs"], { attributes: { user: SECRET } });
  assert.equal((await erased(store, id)).rows_erased, 100);
  assert.deepEqual(await described(), before);
  await store.close();
});

/** Returns a runner that does its work and then fails, `times` times or always. */
function failing(dir: string, job: CompactionJob["kind"], after: number, times: number): CompactionRunner {
  const settings = testSettings().merge;
  const real = new CompactionProcess({ ...settings, workDir: layoutOf(dir).work, idleMs: 100 });
  let seen = 0;
  return {
    run: async (asked: CompactionJob): Promise<readonly MadeFile[]> => {
      const made = await real.run(asked);
      if (asked.kind === job && ++seen > after && seen <= after + times)
        throw new Error(`cannot do it for '${SECRET}'`);
      return made;
    },
    close: () => real.close(),
  };
}

test("an interrupted erasure continues at the next start, and counts each row once", async () => {
  await using dir = await temporaryDirectory();
  const log = recordingLog();
  const first = await openTestStore(dir.path, { eraseRunner: failing(dir.path, "erase", 2, 1e9), log });
  for (const day of ["2026-11-18", "2026-11-19", "2026-11-20"])
    await first.rows.append(rowsOf(ORG, "logs", someRows(100, 2, `${day}T12:00:00.000000Z`)));
  const id = await requestErasure(first.metadata, ORG, ["logs"], { attributes: { user: SECRET } });
  const stopped = await erased(first, id);
  assert.equal(stopped.state, "running");
  assert.ok(stopped.rows_erased > 0 && stopped.rows_erased < 150, String(stopped.rows_erased));
  assert.ok(log.lines.some(({ message }) => message === "cannot erase telemetry"));
  assert.ok(!JSON.stringify(log.lines).includes(SECRET), "the log must not have the values to erase");
  await first.close();
  const second = await openTestStore(dir.path);
  const done = await erased(second, id);
  assert.deepEqual([done.state, done.rows_erased, done.files_rewritten], ["done", 150, 3]);
  assert.deepEqual(await filesWith(layoutOf(dir.path).root, SECRET), []);
  assert.equal((await readMessages(second.rows, ORG)).length, 150);
  await second.close();
});

test("an erasure that can't be done is given up and reported, and its condition is deleted", async () => {
  await using dir = await temporaryDirectory();
  const clock = { now: Date.parse("2026-11-20T12:00:00Z"), nowMs: () => clock.now };
  const store = await openTestStore(dir.path, { clock, eraseRunner: failing(dir.path, "erase", 0, 1e9) });
  await store.rows.append(rowsOf(ORG, "logs", someRows(10, 2)));
  const id = await requestErasure(store.metadata, ORG, ["logs"], { attributes: { user: SECRET } });
  let state = "";
  for (let attempt = 0; attempt < 20 && state !== "failed"; attempt++) {
    ({ state } = await erased(store, id));
    clock.now += 300_000;
  }
  const part = await erased(store, id);
  assert.deepEqual([part.state, part.rows_erased], ["failed", 0]);
  assert.match(part.detail ?? "", /could not be read/);
  const row = await store.metadata.read.selectFrom("telemetry_erasure").selectAll().executeTakeFirstOrThrow();
  assert.equal(row.match, null);
  assert.equal((await readMessages(store.rows, ORG)).length, 10);
  await store.close();
});

test("an erasure is not done while a query still reads erased rows", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  await store.rows.append(rowsOf(ORG, "logs", someRows(10, 2)));
  await store.rows.compact();
  const reading = await store.rows.snapshot(ORG);
  const id = await requestErasure(store.metadata, ORG, ["logs"], { attributes: { user: SECRET } });
  assert.equal((await erased(store, id)).state, "running");
  reading.release();
  assert.deepEqual([(await erased(store, id)).state, (await erased(store, id)).rows_erased], ["done", 5]);
  await store.close();
});

test("an erasure finishes while rows arrive and files are merged", async () => {
  await using dir = await temporaryDirectory();
  const settings = testSettings();
  const merge = { ...settings.merge, fanIn: 2 };
  const store = await openTestStore(dir.path, { settings: { ...settings, merge } });
  for (let file = 0; file < 8; file++) {
    await store.rows.append(rowsOf(ORG, "logs", someRows(200, 4)));
    await store.rows.compact();
  }
  const id = await requestErasure(store.metadata, ORG, ["logs"], { attributes: { user: SECRET } });
  let busy = true;
  const appends = (async (): Promise<number> => {
    let count = 0;
    for (; busy; await delay(1)) await store.rows.append(rowsOf(ORG, "logs", [{ message: `late ${count++}` }]));
    return count;
  })();
  const merges = (async () => {
    for (; busy; await delay(5)) await store.rows.merge();
  })();
  const part = await erased(store, id);
  busy = false;
  const [late] = await Promise.all([appends, merges]);
  assert.deepEqual([part.state, part.rows_erased], ["done", 400]);
  assert.deepEqual(await filesWith(layoutOf(dir.path).root, SECRET), []);
  assert.equal((await readMessages(store.rows, ORG)).length, 1200 + late);
  await store.close();
});

test("files in quarantine are named, because their content is unknown", async () => {
  await using dir = await temporaryDirectory();
  const store = await openTestStore(dir.path);
  const { quarantine } = layoutOf(dir.path);
  await mkdir(join(quarantine, ORG, "logs"), { recursive: true });
  await mkdir(join(quarantine, "org_b", "logs"), { recursive: true });
  await writeFile(join(quarantine, ORG, "logs", "3-9-0.ndjson"), "{}\n");
  await writeFile(join(quarantine, "org_b", "logs", "4-9-0.ndjson"), "{}\n");
  await writeFile(join(quarantine, "00000000000000000001.wal-7.bin"), "damaged");
  const id = await requestErasure(store.metadata, ORG, ["logs"], { service: "shop" });
  const part = await erased(store, id);
  assert.deepEqual(JSON.parse(part.quarantined), ["logs/3-9-0.ndjson", "unknown/00000000000000000001.wal-7.bin"]);
  await store.close();
});

test("an erasure is done when it is done in every directory of the database", async () => {
  await using one = await temporaryDirectory();
  const store = await openTestStore(one.path);
  await store.metadata.write(async (tx) => {
    await tx.insertInto("telemetry_store").values({ id: "store_away", seen_at: 1, drops_held_until: null }).execute();
  });
  const id = await requestErasure(store.metadata, ORG, ["logs"], { service: "shop" });
  await store.rows.lifecycle.eraseDue();
  const parts = await erasureParts(store.metadata, id);
  assert.deepEqual(parts.map(({ state }) => state).toSorted(), ["done", "pending"]);
  const row = await store.metadata.read.selectFrom("telemetry_erasure").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(
    [row.match, row.finished_at],
    ['{"service":"shop"}', null],
    "the other directory still needs the condition",
  );
  await store.close();
});
