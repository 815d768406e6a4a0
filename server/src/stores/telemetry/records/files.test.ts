import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { RecordFiles, type RecordFilesOptions, type RecordSource } from "./files.ts";

const ORG = "org_a";

interface Rows extends RecordSource {
  /** The cursors of the reads. */
  readonly asked: number[];
  add(count: number): void;
  failAfter: number;
}

/** Returns rows that are their own cursors. */
function rowsSource(): Rows {
  let total = 0;
  return {
    asked: [],
    failAfter: Number.POSITIVE_INFINITY,
    add(count) {
      total += count;
    },
    async *rowsAfter(_orgId, mark) {
      this.asked.push(mark);
      for (let n = mark + 1; n <= total; n++) {
        await Promise.resolve();
        if (n > this.failAfter) throw new Error("the source failed");
        yield { mark: n, row: () => ({ n }) };
      }
    },
  };
}

async function openFiles(t: TestContext, source: RecordSource, more: Partial<RecordFilesOptions> = {}) {
  const dir = await mkdtemp(join(tmpdir(), "mooring-records-"));
  t.after(() => rm(dir, { recursive: true }));
  const failures: string[] = [];
  const options = {
    dir,
    sources: { audit_log: source },
    deleteFailed: (path: string) => failures.push(path),
    rowFailed: ({ mark }: { mark: number }) => failures.push(`row ${mark}`),
    ...more,
  };
  const files = await RecordFiles.open(options);
  const onDisk = async (): Promise<string[]> =>
    (await readdir(dir, { recursive: true })).filter((name) => name.endsWith("json"));
  return { dir, files, onDisk, failures };
}

async function numbers(files: readonly { path: string; rows: number; bytes: number }[]): Promise<number[]> {
  const all: number[] = [];
  for (const { path, rows, bytes } of files) {
    const content = await readFile(path);
    const lines = content.toString().trimEnd().split("\n");
    assert.deepEqual([lines.length, content.length], [rows, bytes]);
    all.push(...lines.map((line) => (JSON.parse(line) as { n: number }).n));
  }
  return all;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await condition()))
    assert.ok(performance.now() < deadline, "the condition did not become true within a minute");
}

test("rows are read once, and each snapshot has all of them", async (t) => {
  const source = rowsSource();
  const { files } = await openFiles(t, source);
  for (const [i, count] of [3, 0, 2, 40].entries()) {
    source.add(count);
    const snapshot = await files.snapshot(ORG, "audit_log");
    const total = [3, 3, 5, 45][i] ?? 0;
    assert.deepEqual(await numbers(snapshot.files), upTo(total));
    snapshot.release();
  }
  assert.deepEqual(source.asked, [0, 3, 3, 5]);
});

test("many small additions stay few files, and replaced files are deleted when nobody reads them", async (t) => {
  const source = rowsSource();
  const { files, onDisk, failures } = await openFiles(t, source);
  source.add(100);
  const early = await files.snapshot(ORG, "audit_log");
  for (let i = 0; i < 100; i++) {
    source.add(1);
    (await files.snapshot(ORG, "audit_log")).release();
  }
  const late = await files.snapshot(ORG, "audit_log");
  assert.ok(late.files.length < 10, `${late.files.length} files`);
  assert.deepEqual(await numbers(early.files), upTo(100));
  assert.deepEqual(await numbers(late.files), upTo(200));
  early.release();
  early.release();
  late.release();
  await until(async () => (await onDisk()).length === late.files.length);
  assert.deepEqual(failures, []);
});

test("a long table is written in parts, and a failure keeps the written parts", async (t) => {
  const source = rowsSource();
  const { files } = await openFiles(t, source, { fileBytes: 100 });
  source.add(1000);
  source.failAfter = 500;
  await assert.rejects(files.snapshot(ORG, "audit_log"), { code: "unavailable" });
  source.failAfter = Number.POSITIVE_INFINITY;
  const snapshot = await files.snapshot(ORG, "audit_log");
  assert.deepEqual(await numbers(snapshot.files), upTo(1000));
  assert.ok((source.asked[1] ?? 0) > 480, "the reading continued where it had failed");
  snapshot.release();
});

test("concurrent snapshots read each row once", async (t) => {
  const source = rowsSource();
  const { files } = await openFiles(t, source);
  source.add(50);
  const both = await Promise.all([files.snapshot(ORG, "audit_log"), files.snapshot(ORG, "audit_log")]);
  for (const { files: list, release } of both) {
    assert.deepEqual(await numbers(list), upTo(50));
    release();
  }
  assert.deepEqual(source.asked, [0, 50]);
});

test("organizations have separate files; the least recently used are deleted", async (t) => {
  const source = rowsSource();
  const { files, onDisk } = await openFiles(t, source, { keptMax: 2 });
  source.add(5);
  const first = await files.snapshot("org_1", "audit_log");
  for (const org of ["org_2", "org_3"]) (await files.snapshot(org, "audit_log")).release();
  assert.deepEqual(await numbers(first.files), upTo(5), "a file that is being read stays");
  first.release();
  await until(async () => (await onDisk()).length === 2);
  assert.ok((await onDisk()).every((name) => !name.includes("org_1")));
});

test("files of an earlier process are deleted", async (t) => {
  const source = rowsSource();
  const { dir, files, onDisk } = await openFiles(t, source);
  source.add(5);
  (await files.snapshot(ORG, "audit_log")).release();
  await RecordFiles.open({ dir, sources: {}, deleteFailed: () => undefined, rowFailed: () => undefined });
  assert.deepEqual(await onDisk(), []);
});

test("a table without a source is not served", async (t) => {
  const { files } = await openFiles(t, rowsSource(), { sources: {} });
  await assert.rejects(files.snapshot(ORG, "audit_log"), { code: "unavailable" });
});

test("deleted rows leave the files, and only their files are written again", async (t) => {
  const gone = new Set<number>();
  const source = rowsSource();
  const all = source.rowsAfter.bind(source);
  const present: RecordSource = {
    async *rowsAfter(orgId, mark) {
      for await (const each of all(orgId, mark)) if (!gone.has(each.mark)) yield each;
    },
    generation: () => Promise.resolve(gone.size),
    count: (_orgId, after, through) => Promise.resolve(upTo(through).filter((n) => n > after && !gone.has(n)).length),
  };
  const { files, onDisk } = await openFiles(t, present, { fileBytes: 100 });
  source.add(1000);
  const early = await files.snapshot(ORG, "audit_log");
  assert.ok(early.files.length > 3, `${early.files.length} files`);
  const first = early.files[0]?.rows ?? 0;
  for (const n of [...upTo(first), 1000]) gone.add(n);
  source.asked.length = 0;
  source.add(1);
  const late = await files.snapshot(ORG, "audit_log");
  assert.deepEqual(
    await numbers(late.files),
    upTo(1001).filter((n) => !gone.has(n)),
  );
  assert.equal(source.asked.length, 2, "only the file with 1000 rows and the new rows are read");
  assert.deepEqual(await numbers(early.files), upTo(1000));
  early.release();
  await until(async () => (await onDisk()).length === late.files.length);
  for (const n of upTo(1001)) gone.add(n);
  late.release();
  const empty = await files.snapshot(ORG, "audit_log");
  assert.deepEqual(await numbers(empty.files), []);
});

test("an unreadable row is left out and counted in each snapshot; other rows are not affected", async (t) => {
  const source = rowsSource();
  const all = source.rowsAfter.bind(source);
  let purged = 0;
  const deep: Record<string, unknown> = {};
  for (let level = 0, at = deep; level < 20_000; level++) at = at["a"] = {};
  const bad = new Map<number, () => Record<string, string>>([
    [2, () => ({ n: deep as unknown as string })],
    [3, () => ({ at: new Date(NaN).toISOString() })],
    [5, () => ({ text: "x".repeat(5 * 1024 * 1024) })],
  ]);
  const { files, failures } = await openFiles(t, {
    async *rowsAfter(orgId, mark) {
      for await (const each of all(orgId, mark)) yield { ...each, row: bad.get(each.mark) ?? each.row };
    },
    generation: () => Promise.resolve(purged),
    count: (_orgId, after, through) => Promise.resolve(through - after),
  });
  source.add(6);
  for (const added of [0, 1, 1]) {
    source.add(added);
    const snapshot = await files.snapshot(ORG, "audit_log");
    assert.deepEqual((await numbers(snapshot.files)).slice(0, 3), [1, 4, 6]);
    assert.equal(snapshot.unreadable, 3);
    snapshot.release();
  }
  assert.deepEqual(failures, ["row 2"], "the first unreadable row of a file is reported");
  source.asked.length = 0;
  purged = 1;
  (await files.snapshot(ORG, "audit_log")).release();
  assert.deepEqual(source.asked, [8], "rows that are left out count as present: nothing is read again");
});

test("a part without any readable row makes no file, and is not read again", async (t) => {
  const source = rowsSource();
  const all = source.rowsAfter.bind(source);
  const { files } = await openFiles(t, {
    async *rowsAfter(orgId, mark) {
      for await (const each of all(orgId, mark)) yield { mark: each.mark, row: () => JSON.parse("{") as never };
    },
  });
  source.add(3);
  for (let i = 0; i < 2; i++) {
    const snapshot = await files.snapshot(ORG, "audit_log");
    assert.deepEqual([snapshot.files, snapshot.unreadable], [[], 3]);
    snapshot.release();
  }
  assert.deepEqual(source.asked, [0, 3]);
});

test("lone surrogates are replaced, because DuckDB would stop reading the file at one", async (t) => {
  const { files } = await openFiles(t, {
    async *rowsAfter(_orgId, mark) {
      await Promise.resolve();
      if (mark === 0) yield { mark: 1, row: () => ({ a: "\ud800", b: "\\ud800", c: "\u{1f600}" }) };
    },
  });
  const snapshot = await files.snapshot(ORG, "audit_log");
  const content = await readFile(snapshot.files[0]?.path ?? "", "utf8");
  assert.deepEqual(JSON.parse(content), { a: "\ufffd", b: "\\ud800", c: "\u{1f600}" });
  assert.doesNotMatch(content, /[^\\]\\ud/);
  snapshot.release();
});
