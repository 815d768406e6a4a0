import assert from "node:assert/strict";
import { appendFile, cp, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { faultyFiles, openTestLog, type Fault, type TestLog } from "../testing/log.ts";
import { temporaryDirectory } from "../testing/store.ts";

const isUnavailable = (error: unknown): boolean =>
  error instanceof Problem && error.code === "unavailable" && error.options.retryAfterS !== undefined;

async function onlySegment({ dir }: TestLog): Promise<string> {
  const names = await readdir(dir);
  assert.equal(names.length, 1);
  return join(dir, names[0] ?? "");
}

/** Returns the rows that a start after a crash at this moment would find. Leaves the open log unchanged. */
async function afterCrash(root: string): Promise<string[]> {
  await using copy = await temporaryDirectory();
  await cp(join(root, "wal"), join(copy.path, "wal"), { recursive: true });
  return await recoveredRows(copy.path);
}

async function recoveredRows(root: string): Promise<string[]> {
  const log = await openTestLog(root);
  await log.wal.close();
  return log.rows;
}

test("batches are on disk in the order in which they were appended", async () => {
  await using dir = await temporaryDirectory();
  const log = await openTestLog(dir.path);
  await Promise.all(Array.from({ length: 2000 }, (_, i) => log.append(`row ${i}`)));
  await log.wal.close();
  assert.deepEqual(
    await recoveredRows(dir.path),
    Array.from({ length: 2000 }, (_, i) => `row ${i}`),
  );
});

test("an unfinished write at the end is cut off at any length", async () => {
  await using dir = await temporaryDirectory();
  const log = await openTestLog(join(dir.path, "whole"));
  await log.append("first");
  const segment = await onlySegment(log);
  const kept = (await readFile(segment)).length;
  await log.append("second and last");
  await log.wal.close();
  const whole = (await readFile(segment)).length;
  for (let bytes = kept; bytes < whole; bytes++) {
    const root = join(dir.path, String(bytes));
    await cp(join(dir.path, "whole"), root, { recursive: true });
    await truncate(join(root, "wal", segment.slice(log.dir.length + 1)), bytes);
    const torn = await openTestLog(root);
    assert.deepEqual(torn.rows, ["first"], `${bytes} of ${whole} bytes`);
    await torn.append("after");
    await torn.wal.close();
    assert.deepEqual(await recoveredRows(root), ["first", "after"]);
    assert.ok(torn.lines.every(({ level }) => level !== "error"));
  }
  assert.ok(whole - kept > 24);
});

test("zeros or noise at the end, as after a power failure, are cut off", async () => {
  for (const tail of [Buffer.alloc(5000), Buffer.from("MTF1MTF1MTF1".repeat(20))]) {
    await using dir = await temporaryDirectory();
    const log = await openTestLog(dir.path);
    await log.append("kept");
    await log.wal.close();
    await appendFile(await onlySegment(log), tail);
    assert.deepEqual(await recoveredRows(dir.path), ["kept"]);
    assert.deepEqual(await recoveredRows(dir.path), ["kept"]);
  }
});

test("every changed byte in the middle is detected and kept aside, and loses one batch", async () => {
  await using dir = await temporaryDirectory();
  const log = await openTestLog(join(dir.path, "whole"));
  await log.append("first");
  const segment = await onlySegment(log);
  const from = (await readFile(segment)).length;
  await log.append("second");
  const to = (await readFile(segment)).length;
  await log.append("third");
  await log.wal.close();
  const content = await readFile(segment);
  for (let at = from; at < to; at++) {
    const root = join(dir.path, String(at));
    await cp(join(dir.path, "whole"), root, { recursive: true });
    const damaged = Buffer.from(content);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x55, at);
    await writeFile(join(root, "wal", segment.slice(log.dir.length + 1)), damaged);
    const read = await openTestLog(root);
    await read.wal.close();
    assert.deepEqual(read.rows, ["first", "third"], `byte ${at}`);
    assert.ok(read.lines.some(({ level, message }) => level === "error" && message === "the telemetry log is damaged"));
    const [kept] = await readdir(read.aside);
    assert.deepEqual(await readFile(join(read.aside, kept ?? "")), damaged.subarray(from, to));
  }
});

test("a missing segment is reported", async () => {
  await using dir = await temporaryDirectory();
  const log = await openTestLog(dir.path, { segmentBytes: 1 });
  for (const text of ["one", "two", "three"]) await log.append(text);
  await log.wal.close();
  const names = await readdir(log.dir);
  assert.equal(names.length, 3);
  await truncate(join(log.dir, names.toSorted()[1] ?? ""), 0);
  const read = await openTestLog(dir.path);
  await read.wal.close();
  assert.deepEqual(read.rows, ["one", "three"]);
  assert.ok(
    read.lines.some(
      ({ level, message }) => level === "error" && message === "batches are missing from the telemetry log",
    ),
  );
});

test("segments are rotated by size, and deleted from the oldest on", async () => {
  await using dir = await temporaryDirectory();
  const log = await openTestLog(dir.path, { segmentBytes: 200 });
  for (let i = 0; i < 10; i++) await log.append(`row ${i} ${"x".repeat(100)}`);
  assert.equal(log.wal.segments.length, (await readdir(log.dir)).length);
  assert.ok(log.wal.segments.length >= 5);
  const third = log.wal.segments[2];
  assert.ok(third !== undefined);
  assert.equal(await log.wal.deleteWhile((segment) => segment.firstSeq < third.firstSeq), third.firstSeq - 1);
  assert.equal(
    await log.wal.deleteWhile(() => true),
    (log.wal.segments.at(-1)?.firstSeq ?? 0) - 1,
    "the active segment stays",
  );
  await log.wal.close();
  assert.deepEqual(await recoveredRows(dir.path), log.rows.slice(8), "two rows are in each segment");
});

test("a probe shows a disk without space, and its end, without a batch", async () => {
  await using dir = await temporaryDirectory();
  const full = await openTestLog(dir.path, { diskFreeBytesMin: Number.MAX_SAFE_INTEGER });
  await assert.rejects(full.wal.probe(), /less space is free/);
  assert.deepEqual(full.wal.failure, { reason: "disk_full", detail: "the disk is full" });
  await full.wal.close();
  const faults = new Set<Fault>(["write"]);
  const log = await openTestLog(dir.path, { create: faultyFiles(faults) });
  await assert.rejects(log.append("refused"), isUnavailable);
  await log.wal.probe();
  assert.equal(log.wal.failure, undefined);
  assert.deepEqual(
    (await readdir(join(dir.path, "wal"))).filter((name) => !name.endsWith(".wal")),
    [],
  );
  await log.wal.close();
});

for (const fault of ["write", "datasync", "create"] as const) {
  test(`after a failing ${fault} the refused batches leave nothing, and appends work again`, async () => {
    await using dir = await temporaryDirectory();
    const faults = new Set<Fault>();
    // One batch a segment for "create", so that the fault affects the creation of a file.
    const segmentBytes = fault === "create" ? 1 : 1024;
    const log = await openTestLog(dir.path, { create: faultyFiles(faults), segmentBytes });
    await log.append("before");
    faults.add(fault);
    const refused = await Promise.allSettled(["a", "b", "c"].map((text) => log.append(`refused ${text}`)));
    for (const result of refused) assert.ok(result.status === "rejected" && isUnavailable(result.reason));
    await assert.rejects(log.append("refused again"), isUnavailable);
    assert.equal(log.wal.failure?.reason, "disk_error");
    assert.deepEqual(await afterCrash(dir.path), ["before"]);
    faults.clear();
    await log.append("after");
    assert.equal(log.wal.failure, undefined);
    await log.wal.close();
    assert.deepEqual(await recoveredRows(dir.path), ["before", "after"]);
    assert.deepEqual(log.rows, ["before", "after"]);
  });
}

test("a first batch that can't be flushed leaves nothing, though its segment was new", async () => {
  await using dir = await temporaryDirectory();
  const faults = new Set<Fault>(["datasync"]);
  const log = await openTestLog(dir.path, { create: faultyFiles(faults) });
  await assert.rejects(log.append("refused"), isUnavailable);
  faults.clear();
  await log.append("after");
  await log.wal.close();
  assert.deepEqual(await recoveredRows(dir.path), ["after"]);
});

test("bytes that can't be cut off are void once there is a newer segment", async () => {
  await using dir = await temporaryDirectory();
  const faults = new Set<Fault>();
  const log = await openTestLog(dir.path, { create: faultyFiles(faults) });
  await log.append("before");
  faults.add("datasync").add("truncate");
  await assert.rejects(log.append("refused"), isUnavailable);
  assert.ok((await readFile(join(log.dir, (await readdir(log.dir)).toSorted()[0] ?? ""))).includes("refused"));
  faults.clear();
  await log.append("after");
  await log.wal.close();
  assert.deepEqual(await recoveredRows(dir.path), ["before", "after"]);
});

test("a closed log refuses appends", async () => {
  await using dir = await temporaryDirectory();
  const log = await openTestLog(dir.path);
  const last = log.append("in flight");
  await log.wal.close();
  await last;
  await assert.rejects(log.append("late"), (error) => error instanceof Problem && error.code === "unavailable");
  assert.deepEqual(await recoveredRows(dir.path), ["in flight"]);
});

test("the bytes that wait for the disk have a limit, and one batch always fits", async () => {
  await using dir = await temporaryDirectory();
  const log = await openTestLog(dir.path);
  const large = "x".repeat(60 * 1024 * 1024);
  const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => log.append(large)));
  assert.equal(attempts.filter(({ status }) => status === "fulfilled").length, 4);
  for (const attempt of attempts) assert.ok(attempt.status === "fulfilled" || isUnavailable(attempt.reason));
  await log.append("after");
  assert.equal(log.rows.length, 5);
  await log.wal.close();
});

test("if a flushed batch can't be added in memory, the log refuses everything, and the next start finds the batch", async () => {
  await using dir = await temporaryDirectory();
  let fails = false;
  const committed = (): void => {
    if (fails) throw new Error("out of memory");
  };
  const log = await openTestLog(dir.path, { committed });
  await log.append("first");
  fails = true;
  const lost = await Promise.allSettled([log.append("second"), log.append("third")]);
  assert.ok(lost.every((each) => each.status === "rejected" && isUnavailable(each.reason)));
  assert.match((await log.wal.died).message, /out of memory/);
  await assert.rejects(log.append("later"), (error: Problem) => error.code === "unavailable");
  await log.wal.close();
  assert.deepEqual(await recoveredRows(dir.path), ["first", "second", "third"]);
});
