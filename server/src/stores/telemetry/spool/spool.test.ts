import assert from "node:assert/strict";
import { readdir, readFile, truncate } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Schedule } from "#stores/jobs/index.ts";
import { recordingLog, temporaryDirectory } from "../testing/store.ts";
import type { Group } from "./piece.ts";
import { SPOOL_DEFAULTS, type SpoolOptions } from "./options.ts";
import { Spool } from "./spool.ts";

/** The rows that a log has taken, and whether it takes more. */
class TestLog {
  readonly rows: { orgId: string; table: string; row: Record<string, unknown> }[] = [];
  readonly groups = new Set<string>();
  refuses = false;

  async append({ orgId, table, rows }: Group, piece: string): Promise<void> {
    if (this.refuses) throw new Error("the log is full");
    const lines = rows.toString().split("\n").slice(0, -1);
    for (const line of lines) this.rows.push({ orgId, table, row: JSON.parse(line) as Record<string, unknown> });
    this.groups.add(`${piece}/${orgId}/${table}`);
  }

  has({ orgId, table }: Pick<Group, "orgId" | "table">, piece: string): boolean {
    return this.groups.has(`${piece}/${orgId}/${table}`);
  }

  numbers(): unknown[] {
    return this.rows.map(({ row }) => row["n"]);
  }
}

let nowMs = 1_795_000_000_000;

async function open(dir: string, log: TestLog, change: Partial<SpoolOptions> = {}) {
  const clock = { nowMs: () => nowMs };
  return Spool.open({
    dir,
    node: "node_1",
    boot: "boot-1",
    settings: { ...SPOOL_DEFAULTS, diskFreeBytesMin: 0, flushMs: 3_600_000 },
    append: (group, piece) => log.append(group, piece),
    has: (group, piece) => log.has(group, piece),
    schedule: new Schedule(clock),
    clock,
    log: recordingLog(),
    ...change,
  });
}

function record(spool: Spool, from: number, count: number, orgId = "org_a"): void {
  for (let n = from; n < from + count; n++) spool.record("access_log", orgId, JSON.stringify({ n, name: "ä€😀" }));
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

test("rows move to the log by organization, in their order and with rising numbers", async () => {
  await using dir = await temporaryDirectory();
  const log = new TestLog();
  const { spool, gap } = await open(dir.path, log);
  assert.equal(gap, undefined);
  for (let n = 0; n < 300; n++) record(spool, n, 1, n % 2 === 0 ? "org_a" : "org_b");
  assert.deepEqual(log.rows, [], "nothing waits for the log");
  await spool.drain();
  const ofA = log.rows.filter(({ orgId }) => orgId === "org_a").map(({ row }) => row);
  assert.deepEqual(
    ofA.map(({ n }) => n),
    upTo(300).filter((n) => n % 2 === 0),
  );
  assert.deepEqual(ofA[0], { seq: nowMs * 1000, node: "node_1", n: 0, name: "ä€😀" });
  assert.equal(new Set(log.rows.map(({ row }) => row["seq"])).size, 300);
  assert.deepEqual(spool.figures().rows, { access_log: 300, query_log: 0 });
  await spool.drain();
  assert.equal(log.rows.length, 300, "a row moves once");
  await spool.close();
  assert.deepEqual(await readdir(dir.path), []);
});

test("rows that were recorded during a move are in the next one", async () => {
  await using dir = await temporaryDirectory();
  const log = new TestLog();
  const { spool } = await open(dir.path, log);
  record(spool, 0, 10);
  const first = spool.drain();
  await Promise.resolve();
  record(spool, 10, 10);
  await first;
  record(spool, 20, 10);
  await spool.drain();
  assert.deepEqual(log.numbers(), upTo(30));
  await spool.close();
});

test("a killed process loses no row, and no row comes twice", async () => {
  await using dir = await temporaryDirectory();
  const log = new TestLog();
  const killed = await open(dir.path, log);
  record(killed.spool, 0, 100);
  const [name = ""] = await readdir(dir.path);
  await truncate(join(dir.path, name), (await readFile(join(dir.path, name))).length - 3); // the last row was cut off
  const second = await open(dir.path, log);
  assert.equal(second.gap, undefined, "the machine was not stopped");
  assert.deepEqual(log.numbers(), upTo(99));
  record(second.spool, 99, 1);
  // The log has the rows, and the process ends before it deletes the file.
  log.groups.add(`${(await readdir(dir.path))[0]}/org_a/access_log`);
  await open(dir.path, log);
  assert.deepEqual(log.numbers(), upTo(99));
});

test("after a power cut, the gap says since when and how many rows may be missing", async () => {
  await using dir = await temporaryDirectory();
  const log = new TestLog();
  const { spool } = await open(dir.path, log);
  const flushedMs = nowMs;
  record(spool, 0, 50);
  const [name = ""] = await readdir(dir.path);
  const path = join(dir.path, name);
  const rowsAt = (await readFile(path)).indexOf("\n") + 1;
  const [row = ""] = (await readFile(path)).subarray(rowsAt).toString().split("\n");
  // The disk has 20 rows, and zeros in the place of others.
  await truncate(path, rowsAt + 20 * (Buffer.byteLength(row) + 1));
  await truncate(path, rowsAt + 30 * (Buffer.byteLength(row) + 1));
  nowMs += 60_000;
  const { gap, spool: next } = await open(dir.path, log, { boot: "boot-2" });
  assert.deepEqual(gap, { fromMs: flushedMs, toMs: nowMs, rowsMax: 4096 - log.rows.length });
  assert.ok(log.rows.length >= 19 && log.rows.length <= 20);
  await next.close();
  assert.equal((await open(dir.path, log, { boot: "boot-3" })).gap, undefined, "the server stopped by itself");
});

test("rows wait while the log takes none, and are lost and counted when there are too many", async () => {
  await using dir = await temporaryDirectory();
  const log = new TestLog();
  const settings = { ...SPOOL_DEFAULTS, diskFreeBytesMin: 0, flushMs: 3_600_000, bytesMax: 4096 };
  const { spool } = await open(dir.path, log, { settings });
  log.refuses = true;
  record(spool, 0, 10);
  await assert.rejects(spool.drain(), /cannot move rows to the log/);
  record(spool, 10, 1000);
  const { rows, lost, bytes } = spool.figures();
  assert.ok(bytes > 4096 && bytes < 5000, `${bytes} bytes`);
  assert.equal(rows.access_log + lost.spool, 1010);
  assert.ok(lost.spool > 0 && lost.disk === 0);
  log.refuses = false;
  await spool.drain();
  assert.deepEqual(log.numbers(), upTo(rows.access_log));
  spool.record("access_log", "org_a", `{"n":"${"x".repeat(70_000)}"}`);
  assert.equal(spool.figures().lost.size, 1);
  await spool.close();
});

test("when the log takes only some of the rows, each row moves once", async () => {
  await using dir = await temporaryDirectory();
  const log = new TestLog();
  let refused = "org_b";
  const append = async (group: Group, piece: string): Promise<void> => {
    if (group.orgId === refused) throw new Error("refused");
    await log.append(group, piece);
  };
  const { spool } = await open(dir.path, log, { append });
  record(spool, 0, 5, "org_a");
  record(spool, 5, 5, "org_b");
  await assert.rejects(spool.drain(), /cannot move rows to the log/);
  await assert.rejects(spool.drain(), /cannot move rows to the log/);
  assert.deepEqual(log.numbers(), upTo(5));
  // The log of the next run takes nothing at its start. That must not prevent the start.
  const next = await open(dir.path, log, { append });
  assert.deepEqual(log.numbers(), upTo(5));
  refused = "";
  await next.spool.drain();
  assert.deepEqual(log.numbers(), upTo(10));
  await next.spool.close();
});

test("rows are lost and counted while the disk is short", async () => {
  await using dir = await temporaryDirectory();
  const log = new TestLog();
  const schedule = new Schedule({ nowMs: () => nowMs });
  const settings = { ...SPOOL_DEFAULTS, flushMs: 3_600_000, diskFreeBytesMin: Number.MAX_SAFE_INTEGER };
  const { spool } = await open(dir.path, log, { settings, schedule });
  record(spool, 0, 5);
  schedule.begin("spool");
  while (schedule.list().find(({ name }) => name === "spool")?.last === null) await new Promise(setImmediate);
  record(spool, 5, 5);
  assert.deepEqual([spool.figures().rows.access_log, spool.figures().lost.disk], [5, 5]);
  await spool.close();
  assert.deepEqual(log.numbers(), upTo(5));
});
