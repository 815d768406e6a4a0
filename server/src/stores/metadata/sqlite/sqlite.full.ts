import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { sql } from "kysely";
import { Problem } from "#kernel/problem.ts";
import { systemClock } from "#kernel/time.ts";
import { metadataContract, type TestDatabase } from "../testing/suite.ts";
import { beginMigrated } from "../testing.ts";
import type { MetadataStore, Writer } from "../types.ts";
import { waitsOf, type Waits } from "../waits.ts";
import { openSqlite } from "./store.ts";

metadataContract("sqlite", async (state): Promise<TestDatabase> => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-metadata-"));
  if (state === "migrated") await beginMigrated(dataDir);
  return {
    url: undefined,
    dataDir,
    sharesNotifications: false,
    // The last connection to close checkpoints the log and removes it; an open transaction would have kept it.
    leftovers: async () => (await readdir(dataDir)).filter((name) => name !== "mooring.db"),
    remove: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
});

test("only the owner can read the files", async () => {
  await withSqlite({}, async (store, dataDir) => {
    await store.write((tx) => addNodes(tx, 0, 1));
    const names = (await readdir(dataDir)).toSorted();
    assert.deepEqual(names, ["mooring.db", "mooring.db-shm", "mooring.db-wal"]);
    for (const name of names) assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600, name);
  });
});

test("every commit flushes the file to the disk", async () => {
  await withSqlite({}, async (store) => {
    await store.write(async (tx) => {
      assert.deepEqual((await sql`pragma synchronous`.execute(tx)).rows, [{ synchronous: 2 }]);
      assert.deepEqual((await sql`pragma journal_mode`.execute(tx)).rows, [{ journal_mode: "wal" }]);
      assert.deepEqual((await sql`pragma foreign_keys`.execute(tx)).rows, [{ foreign_keys: 1 }]);
    });
  });
});

test("the event loop continues while 2,000 writes are flushed, and while another process locks the file", async () => {
  await withSqlite({}, async (store, dataDir) => {
    const other = new DatabaseSync(join(dataDir, "mooring.db"));
    other.exec("begin immediate");
    let released = false;
    // If the wait blocked the loop, the test could never release the file, and the writes would fail at their limit.
    setTimeout(() => {
      other.exec("rollback");
      released = true;
    }, 300);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const turnsBefore = performance.nodeTiming.uvMetricsInfo.loopCount;
    let next = 0;
    const loop = async (): Promise<void> => {
      while (next < 2000) {
        const number = next++;
        await store.write((tx) => addNodes(tx, number, 1));
        assert.ok(released, "no write succeeds while another process writes");
      }
    };
    await Promise.all(Array.from({ length: 16 }, loop));
    delay.disable();
    other.close();
    assert.equal(await count(store), 2000);
    // Each group of 16 takes separate turns. On this thread, all of them would fit into a few.
    const turns = performance.nodeTiming.uvMetricsInfo.loopCount - turnsBefore;
    assert.ok(turns >= 125, `the loop turned ${turns} times`);
    // A percentile, not the maximum: the machine may stop the process once by itself.
    const heldMs = delay.percentile(99) / 1e6;
    assert.ok(heldMs < 1000, `one turn in a hundred took ${heldMs} ms`);
  });
});

test("a transaction waits for another process that writes, up to its limit, and then reports it", async () => {
  await withSqlite({ waits: waitsOf(1000) }, async (store, dataDir) => {
    const other = new DatabaseSync(join(dataDir, "mooring.db"));
    other.exec("begin immediate");
    const nothing = store.write(async () => {});
    const waited = store.write((tx) => addNodes(tx, 0, 1));
    const deferred = store.write(async (tx) => tx.defer(tx.deleteFrom("node")));
    for (const refused of [nothing, waited, deferred]) {
      await assert.rejects(refused, (error: unknown) => {
        assert.ok(error instanceof Problem && error.code === "unavailable");
        assert.match(String((error.cause as Error).message), /another process has been writing/);
        return true;
      });
    }
    assert.equal(await count(store), 0, "readers continue meanwhile");
    other.exec("rollback");
    other.close();
    await store.write((tx) => addNodes(tx, 0, 1));
    assert.equal(await count(store), 1);
  });
});

/** All concurrent writes form one group, however slow the machine is. */
const ONE_GROUP = { groupMsMax: 60_000 };

test("a COMMIT that fails rejects the whole group and writes nothing of it", async () => {
  await withSqlite(ONE_GROUP, async (store) => {
    const orphan = async (tx: Writer): Promise<void> => {
      await sql`pragma defer_foreign_keys = on`.execute(tx); // So that the COMMIT finds the broken reference.
      await tx
        .insertInto("member")
        .values({ org_id: "org_none", user_id: "user_none", role: "viewer", created_at: 0 })
        .execute();
    };
    const writes = [0, 1, 2].map((number) => store.write((tx) => addNodes(tx, number, 1)));
    const results = await Promise.allSettled([...writes, store.write(orphan), store.write((tx) => addNodes(tx, 4, 1))]);
    assert.deepEqual(
      results.map(({ status }) => status),
      Array.from({ length: 5 }, () => "rejected"),
    );
    assert.equal(await count(store), 0);
    await store.write((tx) => addNodes(tx, 5, 1));
    assert.equal(await count(store), 1);
  });
});

test("when SQLite itself rolls back, the whole group is refused and nothing is written outside a transaction", async () => {
  await withSqlite(ONE_GROUP, async (store) => {
    await store.write((tx) => addNodes(tx, 1, 1));
    const lost = async (tx: Writer): Promise<void> => {
      const columns = sql`(id, applied_seq, started_at, seen_at)`;
      await sql`insert or rollback into node ${columns} values ('node_1', 1, 1, 1)`.execute(tx);
    };
    const writes = [2, 3].map((number) => store.write((tx) => addNodes(tx, number, 1)));
    const results = await Promise.allSettled([...writes, store.write(lost), store.write((tx) => addNodes(tx, 4, 1))]);
    assert.deepEqual(
      results.map(({ status }) => status),
      Array.from({ length: 4 }, () => "rejected"),
    );
    assert.equal(await count(store), 1);
    await store.write((tx) => addNodes(tx, 5, 1));
    assert.equal(await count(store), 2);
  });
});

test("one transaction runs at a time, in any order of arrival", async () => {
  await withSqlite({}, async (store) => {
    let inside = 0;
    let most = 0;
    let next = 0;
    const loop = async (): Promise<void> => {
      while (next < 500) {
        const number = next++;
        await store.write(async (tx) => {
          inside += 1;
          most = Math.max(most, inside);
          await addNodes(tx, number, 1);
          inside -= 1;
        });
      }
    };
    await Promise.all(Array.from({ length: 8 }, loop));
    assert.equal(most, 1);
  });
});

test("a full disk has a separate error, and writing continues when there is space again", async () => {
  await withSqlite({}, async (store) => {
    await store.write(async (tx) => {
      const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(tx);
      await sql`pragma max_page_count = ${sql.lit((rows[0]?.page_count ?? 0) + 4)}`.execute(tx);
    });
    const name = "x".repeat(100_000);
    const person = {
      id: "user_1",
      email: "a@example.com",
      name,
      password_hash: null,
      instance_admin: 0,
      last_seen_at: null,
      verified_at: null,
      created_at: 0,
    };
    const writes = [0, 1].map((number) => store.write((tx) => addNodes(tx, number, 1)));
    const refused = store.write((tx) => tx.insertInto("person").values(person).execute());
    await assert.rejects(refused, (error: unknown) => error instanceof Problem && error.code === "disk_full");
    const kept = (await Promise.allSettled(writes)).filter(({ status }) => status === "fulfilled").length;
    assert.equal(await count(store), kept, "acknowledged rows exist, refused ones do not");
    await store.write((tx) => sql`pragma max_page_count = 1000000`.execute(tx));
    await store.write((tx) => tx.insertInto("person").values(person).execute());
  });
});

test("the write-ahead log does not grow without bound", async () => {
  await withSqlite({}, async (store, dataDir) => {
    const body = "x".repeat(64 * 1024);
    const add = (key: number): Promise<void> =>
      store.write(async (tx) => {
        const row = {
          key_hash: `k${key}`,
          owner: "",
          fingerprint: "",
          status: 0,
          headers: "",
          body,
          sealed: null,
          created_at: 0,
        };
        await tx.insertInto("idempotency").values(row).execute();
      });
    let largest = 0;
    for (let round = 0; round < 60; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, lane) => add(round * 8 + lane)));
      await store.read.selectFrom("idempotency").select("key_hash").executeTakeFirst();
      largest = Math.max(largest, statSync(join(dataDir, "mooring.db-wal")).size);
    }
    assert.ok(statSync(join(dataDir, "mooring.db")).size > 20 * 1024 * 1024);
    assert.ok(largest < 10 * 1024 * 1024, `it grew to ${largest} bytes`);
  });
});

test("a database that can't be opened is named with the reason", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-metadata-"));
  const path = join(dataDir, "mooring.db");
  writeFileSync(path, "this is not a database, and long enough to be recognized as something else".repeat(20));
  await assert.rejects(
    openSqlite({ dataDir, clock: systemClock }),
    /cannot open the metadata database .*mooring\.db: file is not a database/,
  );
  rmSync(dataDir, { recursive: true, force: true });
});

async function withSqlite(
  options: { waits?: Waits; groupMsMax?: number },
  use: (store: MetadataStore, dataDir: string) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-metadata-"));
  const store = await openSqlite({ dataDir, clock: systemClock, ...options });
  try {
    await use(store, dataDir);
  } finally {
    await store.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function addNodes(tx: Writer, first: number, amount: number): Promise<void> {
  const rows = Array.from({ length: amount }, (_, index) => ({
    id: `node_${first + index}`,
    applied_seq: first + index,
    started_at: 0,
    seen_at: 0,
  }));
  await tx.insertInto("node").values(rows).execute();
}

async function count(store: MetadataStore): Promise<number> {
  const row = await store.read
    .selectFrom("node")
    .select((eb) => eb.fn.countAll<number>().as("n"))
    .executeTakeFirstOrThrow();
  return row.n;
}
