/** What a metadata store must do, whichever database keeps it. A driver's test calls `metadataContract` with its databases. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { systemClock } from "#kernel/time.ts";
import { killWhileWriting } from "./contract-kill.ts";
import { ROWS } from "./contract-rows.ts";
import {
  isUniqueViolation,
  openMetadata,
  uniqueViolation,
  type MetadataStore,
  type Tables,
  type Writer,
} from "./index.ts";
import { MIGRATIONS } from "./migrations/index.ts";

/** An empty database of a driver. */
export interface TestDatabase {
  url: string | undefined;
  dataDir: string;
  /** Whether a second store hears what this one notifies. */
  sharesNotifications: boolean;
  /** What closed stores left behind that they should not have: connections, locks, files. */
  leftovers(): Promise<string[]>;
  remove(): Promise<void>;
}

type Provide = () => Promise<TestDatabase>;
type Use = (store: MetadataStore, database: TestDatabase) => Promise<void>;

const DEADLINE_MS = 10_000;

export function metadataContract(name: string, provide: Provide): void {
  describe(`metadata store: ${name}`, () => {
    migrationTests(provide);
    transactionTests(provide);
    concurrencyTests(provide);
    valueTests(provide);
    lifeTests(provide);
  });
}

function migrationTests(provide: Provide): void {
  test("migrations run once, however often the store is opened", async () => {
    await withStore(provide, async (store, database) => {
      const before = await store.read.selectFrom("migration").selectAll().execute();
      await (await open(database)).close();
      assert.deepEqual(await store.read.selectFrom("migration").selectAll().execute(), before);
      assert.deepEqual(new Set(before.map((row) => row.name)), new Set(MIGRATIONS.map((migration) => migration.name)));
    });
  });

  test("stores that open a fresh database at once all succeed", async () => {
    const database = await provide();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(database)));
    for (const store of stores) await store.ping();
    await Promise.all(stores.map((store) => store.close()));
    await leaveNothing(database);
  });

  test("a database that a newer version has changed is refused and left as it is", async () => {
    await withStore(provide, async (store, database) => {
      await store.write((tx) => tx.insertInto("migration").values({ name: "9999-future", applied_at: 1 }).execute());
      await assert.rejects(open(database), /newer version of Mooring has changed it \(9999-future\)/);
      assert.equal((await store.read.selectFrom("migration").selectAll().execute()).length, MIGRATIONS.length + 1);
    });
  });

  test("every table takes a full row and gives it back", async () => {
    await withStore(provide, async (store) => {
      for (const table of Object.keys(ROWS) as (keyof Tables)[]) {
        const row = ROWS[table];
        await store.write(
          async (tx) =>
            void (await tx
              .insertInto(table)
              .values(row as never)
              .execute()),
        );
        const found: unknown[] = await store.read.selectFrom(table).selectAll().execute();
        assert.deepEqual(found.at(-1), row, table);
      }
    });
  });
}

function transactionTests(provide: Provide): void {
  test("a read sees what is committed, the transaction also what it wrote", async () => {
    await withStore(provide, async (store) => {
      await store.write(async (tx) => {
        await addNode(tx, 1);
        assert.deepEqual(await nodeNumbers(tx), [1]);
        assert.deepEqual(await nodeNumbers(store.read), []);
      });
      assert.deepEqual(await nodeNumbers(store.read), [1]);
    });
  });

  test("a throw takes back the whole transaction and reaches the caller", async () => {
    await withStore(provide, async (store) => {
      const failure = Object.assign(new Error("changed my mind"), { code: "ENOENT" });
      const work = async (tx: Writer): Promise<void> => {
        await addNode(tx, 1);
        throw failure;
      };
      await assert.rejects(store.write(work), (error) => error === failure);
      assert.deepEqual(await nodeNumbers(store.read), []);
    });
  });

  test("a taken key is told from every other error, with its table and columns", async () => {
    await withStore(provide, async (store) => {
      const project = { ...ROWS.project, id: "proj_other" };
      await store.write((tx) => tx.insertInto("organization").values(ROWS.organization).execute());
      await store.write((tx) => tx.insertInto("project").values(ROWS.project).execute());
      const slugTaken = await rejection(store.write((tx) => tx.insertInto("project").values(project).execute()));
      assert.deepEqual(uniqueViolation(slugTaken), { table: "project", columns: ["org_id", "slug"] });
      assert.ok(isUniqueViolation(slugTaken, "project", ["org_id", "slug"]));
      assert.ok(!isUniqueViolation(slugTaken, "project", ["id"]));
      assert.ok(!JSON.stringify(slugTaken).includes(project.slug), "the refused values stay out of the error");
      const idTaken = await rejection(
        store.write((tx) =>
          tx
            .insertInto("project")
            .values({ ...ROWS.project, slug: "other" })
            .execute(),
        ),
      );
      assert.deepEqual(uniqueViolation(idTaken), { table: "project", columns: ["id"] });
      const orphan = await rejection(
        store.write((tx) =>
          tx
            .insertInto("project")
            .values({ ...project, org_id: "org_none" })
            .execute(),
        ),
      );
      assert.equal(uniqueViolation(orphan), undefined);
    });
  });

  test("a statement that failed loses the transaction, even when the failure is caught", async () => {
    await withStore(provide, async (store) => {
      await store.write((tx) => addNode(tx, 1));
      const outcomes: PromiseSettledResult<void>["status"][] = [];
      const goOn = async (tx: Writer): Promise<void> => {
        for (const number of [2, 1, 3]) {
          const [outcome] = await Promise.allSettled([addNode(tx, number)]);
          outcomes.push(outcome.status);
        }
      };
      await assert.rejects(store.write(goOn));
      assert.deepEqual(outcomes, ["fulfilled", "rejected", "rejected"]);
      assert.deepEqual(await nodeNumbers(store.read), [1]);
    });
  });

  test("counts of changed rows come back", async () => {
    await withStore(provide, async (store) => {
      await store.write(async (tx) => {
        for (const number of [1, 2, 3]) await addNode(tx, number);
        const [updated] = await tx.updateTable("node").set({ seen_at: 5 }).where("applied_seq", ">", 1).execute();
        assert.equal(updated?.numUpdatedRows, 2n);
        const [deleted] = await tx.deleteFrom("node").where("applied_seq", "=", 9).execute();
        assert.equal(deleted?.numDeletedRows, 0n);
        const returned = await tx.deleteFrom("node").where("applied_seq", "=", 1).returning("id").execute();
        assert.deepEqual(returned, [{ id: "node_1" }]);
      });
    });
  });

  test("what would wait for itself, or write through the reader, is refused", async () => {
    await withStore(provide, async (store) => {
      const nested = store.write(() => store.write((tx) => addNode(tx, 1)));
      await assert.rejects(nested, /runs in one already/);
      await assert.rejects(addNode(store.read as Writer, 1));
      assert.deepEqual(await nodeNumbers(store.read), []);
    });
  });
}

function concurrencyTests(provide: Provide): void {
  test("500 transactions at once all land, and one that fails in the middle fails alone", async () => {
    await withStore(provide, async (store) => {
      const write = (number: number): Promise<void> =>
        store.write(async (tx) => {
          await addNode(tx, number);
          await tx.updateTable("node").set({ seen_at: number }).where("id", "=", `node_${number}`).execute();
          if (number === 250) throw new Error("not this one");
        });
      const results = await Promise.allSettled(Array.from({ length: 500 }, (_, index) => write(index)));
      assert.deepEqual(
        results.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
        [250],
      );
      const kept = Array.from({ length: 500 }, (_, index) => index).filter((index) => index !== 250);
      assert.deepEqual(await nodeNumbers(store.read), kept);
    });
  });

  test("writers that come again as soon as they are done don't run into each other", async () => {
    await withStore(provide, async (store) => {
      let next = 0;
      const loop = async (): Promise<void> => {
        while (next < 400) {
          const number = next++;
          await store
            .write(async (tx) => {
              await addNode(tx, number);
              const own = await tx.updateTable("node").set({ seen_at: 1 }).where("applied_seq", "=", number).execute();
              assert.equal(own[0]?.numUpdatedRows, 1n);
              if (number % 7 === 0) throw new Error("not this one");
            })
            .catch((error: unknown) => assert.equal((error as Error).message, "not this one"));
        }
      };
      await Promise.all(Array.from({ length: 16 }, loop));
      const kept = Array.from({ length: 400 }, (_, index) => index).filter((index) => index % 7 !== 0);
      assert.deepEqual(await nodeNumbers(store.read), kept);
    });
  });

  test("a lock makes the order of a sequence the order of its commits", async () => {
    await withStore(provide, async (store) => {
      const append = (): Promise<void> =>
        store.write(async (tx) => {
          await store.lock(tx, "sequence");
          const last = await tx
            .selectFrom("node")
            .select((eb) => eb.fn.max("applied_seq").as("seq"))
            .executeTakeFirst();
          await addNode(tx, Number(last?.seq ?? 0) + 1);
        });
      const appends = Promise.all(Array.from({ length: 200 }, append));
      let seen: number[] = [];
      while (seen.length < 200) {
        seen = await nodeNumbers(store.read);
        assert.deepEqual(
          seen,
          Array.from({ length: seen.length }, (_, index) => index + 1),
          "no number is seen before a smaller one",
        );
        await new Promise((resolve) => setImmediate(resolve));
      }
      await appends;
    });
  });

  test("a notification is heard after the commit, and only then", async () => {
    await withStore(provide, async (store, database) => {
      const second = database.sharesNotifications ? await open(database) : store;
      let heard = 0;
      let heardBy = Promise.withResolvers<void>();
      const stop = second.onNotify("auth_change", () => {
        heard += 1;
        heardBy.resolve();
      });
      const notify = (number: number): Promise<void> =>
        store.write(async (tx) => {
          await store.notify(tx, "auth_change");
          await addNode(tx, number);
        });
      await notify(1);
      await within(heardBy.promise, "the first notification");
      heardBy = Promise.withResolvers();
      await assert.rejects(notify(1)); // taken: rolled back, so it must not be heard
      await notify(2);
      await within(heardBy.promise, "the second notification");
      assert.equal(heard, 2);
      stop();
      if (second !== store) await second.close();
    });
  });
}

function valueTests(provide: Provide): void {
  test("values come back as they went in", async () => {
    await withStore(provide, async (store) => {
      const bytes = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
      const texts = ["", "ünïcödé 漢字 🚢", "line\nquote ' \" \\ $1 ?", "x".repeat(1024 * 1024)];
      const integers = [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
      for (const [index, text] of texts.entries()) {
        const row = {
          ...ROWS.signing_key,
          kid: `kid_${index}`,
          public_jwk: text,
          private_key: bytes,
          created_at: integers[index] ?? 0,
          retired_at: null,
        };
        await store.write((tx) => tx.insertInto("signing_key").values(row).execute());
        assert.deepEqual(
          await store.read.selectFrom("signing_key").selectAll().where("kid", "=", row.kid).executeTakeFirst(),
          row,
        );
        await store.write(async (tx) => {
          assert.deepEqual(
            await tx.selectFrom("signing_key").selectAll().where("kid", "=", row.kid).executeTakeFirst(),
            row,
          );
        });
      }
    });
  });

  test("text sorts by bytes, and counts and sums are numbers", async () => {
    await withStore(provide, async (store) => {
      const ids = ["Z", "a", "B", "é", "a-b", "aa", "_"];
      await store.write(async (tx) => {
        for (const id of ids)
          await tx
            .insertInto("node")
            .values({ ...ROWS.node, id, applied_seq: 2 })
            .execute();
      });
      const rows = await store.read.selectFrom("node").select("id").orderBy("id").execute();
      assert.deepEqual(
        rows.map((row) => row.id),
        ["B", "Z", "_", "a", "a-b", "aa", "é"],
      );
      const { rows: totals } = await sql`select count(*) as n, sum(applied_seq) as total from node`.execute(store.read);
      assert.deepEqual(totals, [{ n: 7, total: 14 }]);
    });
  });

  test("a value of another type is refused", async () => {
    await withStore(provide, async (store) => {
      const row = { ...ROWS.node, applied_seq: "many" as unknown as number };
      await assert.rejects(store.write((tx) => tx.insertInto("node").values(row).execute()));
    });
  });
}

function lifeTests(provide: Provide): void {
  test("close waits for the transactions under way and refuses the next", async () => {
    await withStore(provide, async (store, database) => {
      const writes = Promise.all(Array.from({ length: 50 }, (_, number) => store.write((tx) => addNode(tx, number))));
      await store.close();
      await writes;
      await assert.rejects(
        store.write((tx) => addNode(tx, 99)),
        /the metadata store is closed/,
      );
      await assert.rejects(store.ping());
      const again = await open(database);
      assert.equal((await nodeNumbers(again.read)).length, 50);
      await again.close();
    });
  });

  test("what was acknowledged outlives five kills of the process that wrote it, and no transaction is there by half", async () => {
    const database = await provide();
    await (await open(database)).close();
    const acknowledged = new Set<number>();
    for (let round = 1; round <= 5; round++) {
      for (const number of await killWhileWriting(database, round * 1_000_000)) acknowledged.add(number);
      const store = await open(database);
      const kept = new Set(await nodeNumbers(store.read));
      assert.deepEqual(
        [...acknowledged].filter((number) => !kept.has(number)),
        [],
      );
      const seconds = await store.read.selectFrom("telemetry_progress").select("compacted_seq").execute();
      assert.deepEqual(new Set(seconds.map((row) => row.compacted_seq)), kept);
      await store.close();
    }
    assert.ok(acknowledged.size >= 250);
    await leaveNothing(database);
  });
}

async function withStore(provide: Provide, use: Use): Promise<void> {
  const database = await provide();
  const store = await open(database);
  try {
    await use(store, database);
  } finally {
    await store.close();
  }
  await leaveNothing(database);
}

function open({ url, dataDir }: TestDatabase): Promise<MetadataStore> {
  return openMetadata({ url, dataDir, clock: systemClock });
}

async function leaveNothing(database: TestDatabase): Promise<void> {
  assert.deepEqual(await database.leftovers(), []);
  await database.remove();
}

async function addNode(tx: Writer, number: number): Promise<void> {
  await tx
    .insertInto("node")
    .values({ id: `node_${number}`, applied_seq: number, started_at: 0, seen_at: 0 })
    .execute();
}

async function nodeNumbers(db: MetadataStore["read"]): Promise<number[]> {
  const rows = await db.selectFrom("node").select("applied_seq").orderBy("applied_seq").execute();
  return rows.map((row) => row.applied_seq);
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail("it should have been refused"),
    (error: unknown) => error,
  );
}

async function within(promise: Promise<void>, what: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} did not come`)), DEADLINE_MS);
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
