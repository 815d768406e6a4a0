import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { sql, type Kysely } from "kysely";
import { Problem } from "#kernel/problem.ts";
import { readFor } from "#kernel/read-for.ts";
import { systemClock } from "#kernel/time.ts";
import type { Tables } from "../schema.ts";
import type { MetadataStore } from "../types.ts";
import { waitsOf } from "../waits.ts";
import { PointReads } from "./point-reads.ts";
import { openSqlite } from "./store.ts";

/** A query that never ends and never returns a row. */
const ENDLESS = sql<{ n: number }>`
  with recursive x(n) as (select 1 union all select n + 1 from x) select count(*) as n from x`;

test("a read that takes too long is stopped, and delays neither the event loop nor other reads", async () => {
  await withSqlite({ readTimeoutMs: 1_500 }, async (store) => {
    await countNodes(store.read);
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 10);
    const stopped = assert.rejects(
      ENDLESS.execute(store.read),
      (error: unknown) =>
        error instanceof Problem && error.code === "read_timeout" && !error.isCallers && /1500 ms/.test(error.message),
    );
    const others = Promise.all(Array.from({ length: 20 }, () => countNodes(store.read)));
    await others;
    await stopped;
    clearInterval(turning);
    assert.ok(turns > 20, `the loop turned ${turns} times`);
    await until("its process is gone", () => childrenAtWork() <= 1);
    assert.equal(await countNodes(store.read), 0);
  });
});

test("reads that wait for a process count their wait, and report it", async () => {
  await withSqlite({ readTimeoutMs: 1_000 }, async (store) => {
    const reads = Array.from({ length: 6 }, () => ENDLESS.execute(store.read));
    const results = await Promise.allSettled([...reads, countNodes(store.read)]);
    const codes = results.map((result) => (result.status === "rejected" ? (result.reason as Problem).code : ""));
    assert.deepEqual(new Set(codes), new Set(["read_timeout"]));
    assert.equal(await countNodes(store.read), 0);
  });
});

test("a busy organization leaves a process to the others", async () => {
  await withSqlite({ readTimeoutMs: 3_000 }, async (store) => {
    const count = (): Promise<number> => readFor("org_b", () => countNodes(store.read));
    assert.equal(await count(), 0);
    const slow = Array.from({ length: 6 }, () => assert.rejects(readFor("org_a", () => ENDLESS.execute(store.read))));
    const begunMs = performance.now();
    for (let i = 0; i < 20; i += 1) assert.equal(await count(), 0);
    assert.ok(performance.now() - begunMs < 2_500, "the others did not wait until the slow reads were stopped");
    await Promise.all(slow);
  });
});

test("a short page with an index runs on this thread; a statement that may read more rows does not", async () => {
  await withSqlite({}, async (_store, dataDir) => {
    const db = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
    const reads = new PointReads(db);
    const files = 'select "id" from "file" where "org_id" = ? order by "created_at" desc, "id" desc limit ?';
    assert.equal(reads.includes(files, ["org_a", 100]), true);
    assert.equal(reads.includes(files, ["org_a", 1001]), false);
    assert.equal(reads.includes(`${files} offset ?`, ["org_a", 100, 1000]), true);
    assert.equal(reads.includes(`${files} offset ?`, ["org_a", 100, 1001]), false);
    const behind =
      'select * from "file" where "org_id" = ? and ("created_at", "id") < (?, ?) order by "created_at" desc, "id" desc limit ?';
    assert.equal(reads.includes(behind, ["org_a", 1, "file_a", 100]), true);
    assert.equal(reads.includes(files.replace("?", "? and 1 = 1"), ["org_a", 100]), true);
    const OTHERS = [
      files.replace('"org_id" = ?', '"org_id" = ? and "content_type" = ?'),
      files.replace('"org_id" = ?', '"org_id" = ? and "filename" like ?'),
      files.replace('"org_id" = ?', '("org_id" = ? or "id" = ?)'),
      files.replace('"org_id" = ?', '"size" > ?'),
      files.replace('"created_at" desc', '"size" desc'),
      'select count(*) from "file" where "org_id" = ? limit ?',
      'select "id" from "file" where "org_id" = ? and "id" in (select "id" from "trashed_file") limit ?',
    ];
    assert.deepEqual(
      OTHERS.filter((statement) => reads.includes(statement, ["org_a", 10])),
      [],
    );
    db.close();
  });
});

test("a list that begins after a commit was acknowledged sees it", async () => {
  await withSqlite({}, async (store) => {
    for (let number = 1; number <= 50; number++) {
      await store.write(async (tx) =>
        tx
          .insertInto("node")
          .values({ id: `node_${number}`, applied_seq: 0, started_at: 0, seen_at: 0 })
          .execute(),
      );
      assert.equal(await countNodes(store.read), number);
    }
  });
});

test("a process that dies is replaced, and its statement is repeated", async () => {
  await withSqlite({}, async (store) => {
    await countNodes(store.read);
    for (const pid of childIds()) process.kill(pid, "SIGKILL");
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => countNodes(store.read))), [0, 0, 0]);
  });
});

test("an error of SQLite arrives unchanged", async () => {
  await withSqlite({}, async (store) => {
    await assert.rejects(
      sql`select abs(-9223372036854775808) from node union all select abs(-9223372036854775808)`.execute(store.read),
      /integer overflow/,
    );
  });
});

test("only a statement that finds its rows by complete unique keys is a point read", async () => {
  await withSqlite({}, async (_store, dataDir) => {
    const db = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
    const reads = new PointReads(db);
    const POINTS = [
      "select 1",
      "select * from node where id = ?",
      "select * from node where id in (?, ?)",
      "select max(seq) from auth_change",
      "select * from credential_secret where credential_id = ?",
      "select * from member where org_id = ? and user_id = ?",
      "select * from project where org_id = ? and id = ?",
      "select c.*, o.slug from credential as c join organization as o on o.id = c.org_id where c.client_id = ?",
    ];
    const OTHERS = [
      "select * from node",
      "select count(*) from node",
      "select * from member where org_id = ?",
      "select * from credential where created_by = ?",
      "select * from audit where org_id = ? and seq > ? order by seq limit 1",
      "select max(seq) from auth_change where kind = ?",
      "select * from node where id > ? limit 1",
      "select * from node where id in (select owner from job)",
    ];
    const isPoint = (statement: string): boolean => reads.includes(statement, []);
    assert.deepEqual(POINTS.filter(isPoint), POINTS);
    assert.deepEqual(OTHERS.filter(isPoint), []);
    const page = 'select * from "auth_change" where "seq" >= ? order by "seq" limit ?';
    assert.equal(reads.includes(page, [1, 1000]), true, "a page by number");
    assert.equal(reads.includes(page, [1, 1001]), false, "a long page");
    assert.equal(reads.includes(page.replace("order", "and kind = 'key' order"), [1, 10]), false, "with a filter");
    assert.equal(
      reads.includes(
        "select 1",
        Array.from({ length: 101 }, () => 1),
      ),
      false,
      "too many values",
    );
    db.close();
  });
});

async function countNodes(read: Kysely<Tables>): Promise<number> {
  const row = await read
    .selectFrom("node")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return row.n;
}

/** Returns the processes that this process has started as readers. */
function childIds(): number[] {
  const fields = (pid: string): string[] => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    } catch {
      return [];
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => fields(pid)[1] === String(process.pid) && fields(pid)[0] !== "Z")
    .map(Number);
}

const childrenAtWork = (): number => childIds().length;

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!isSo()) {
    assert.ok(Date.now() < deadline, `in time: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function withSqlite(
  options: { readTimeoutMs?: number },
  use: (store: MetadataStore, dataDir: string) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-readers-"));
  const store = await openSqlite({ dataDir, clock: systemClock, waits: waitsOf(undefined, options.readTimeoutMs) });
  try {
    await use(store, dataDir);
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
