import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Problem } from "#kernel/problem.ts";
import { sharingWaits } from "#kernel/wait-budget.ts";
import { systemClock } from "#kernel/time.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../../../../tests/fixtures/postgres-server.ts";
import { isTransient } from "../errors.ts";
import { metadataContract, type TestDatabase } from "../testing/suite.ts";
import type { MetadataStore, Writer } from "../types.ts";
import { waitsOf, type Waits } from "../waits.ts";
import { openPostgres } from "./store.ts";

const DEADLINE_MS = 10_000;
const TEMPLATE = "migrated";
const missing = postgresMissing();

describe("metadata store on PostgreSQL", { skip: missing ?? false }, () => {
  let server: PostgresServer;
  let databases = 0;

  before(async () => {
    server = await startPostgres();
    await (await openPostgres({ url: await server.createDatabase(TEMPLATE), clock: systemClock })).close();
  });
  after(async () => server.stop());

  const provide = async (state: "empty" | "migrated" = "migrated"): Promise<TestDatabase> => {
    const name = `test_${++databases}`;
    return {
      url: await server.createDatabase(name, state === "migrated" ? TEMPLATE : undefined),
      dataDir: "",
      sharesNotifications: true,
      leftovers: () => connectionsLeft(server, name),
      remove: () => server.dropDatabase(name),
    };
  };

  metadataContract("postgres", provide);

  test("a deadlock is retried, and both transactions commit", async () => {
    await withPostgres(provide, {}, async (store) => {
      await store.write((tx) => addNode(tx, 1));
      await store.write((tx) => addNode(tx, 2));
      const bothHoldOne = barrier(2);
      let attempts = 0;
      const touch = (first: number, second: number): Promise<void> =>
        store.write(async (tx) => {
          attempts += 1;
          await raise(tx, first);
          await bothHoldOne();
          await raise(tx, second);
        });
      await Promise.all([touch(1, 2), touch(2, 1)]);
      assert.equal(attempts, 3);
      assert.deepEqual(await nodes(store), [{ seen_at: 2 }, { seen_at: 2 }]);
    });
  });

  test("a read that takes too long is stopped by the server, with that reason", async () => {
    const database = await provide();
    const store = await openPostgres({ url: database.url ?? "", clock: systemClock, waits: waitsOf(undefined, 300) });
    await assert.rejects(
      sql`select pg_sleep(60)`.execute(store.read),
      (error: unknown) => error instanceof Problem && error.code === "read_timeout" && /300 ms/.test(error.message),
    );
    assert.deepEqual((await sql`select 1 as n`.execute(store.read)).rows, [{ n: 1 }]);
    await store.close();
    await database.remove();
  });

  test("a serialisation failure is retried five times", async () => {
    await withPostgres(provide, {}, async (store) => {
      let attempts = 0;
      const failUntil = (lucky: number): Promise<void> =>
        store.write(async (tx) => {
          attempts += 1;
          await addNode(tx, lucky);
          if (attempts < lucky) await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx);
        });
      await failUntil(6);
      assert.equal(attempts, 6);
      attempts = 0;
      await assert.rejects(
        failUntil(7),
        (error) => error instanceof Problem && error.code === "unavailable" && isTransient(error.cause),
      );
      assert.equal(attempts, 6);
      assert.equal((await nodes(store)).length, 1);
    });
  });

  test("connections that the server closes fail their statements, and are replaced", async () => {
    await withPostgres(provide, {}, async (store, url) => {
      const work = async (tx: Writer): Promise<void> => {
        await addNode(tx, 1);
        await endConnections(server, url);
        await addNode(tx, 2);
      };
      await assert.rejects(store.write(work), isUnavailable);
      await store.write((tx) => addNode(tx, 3));
      await store.ping();
      assert.equal((await nodes(store)).length, 1);
    });
  });

  test("listening resumes after a lost connection, and listeners are called because they may have missed a change", async () => {
    await withPostgres(provide, {}, async (store, url) => {
      let heard = 0;
      store.onNotify("auth_change", () => {
        heard += 1;
      });
      await endConnections(server, url);
      await until(() => heard === 1, "the call after the reconnection");
      await store.write((tx) => store.notify(tx, "auth_change"));
      await until(() => heard === 2, "the notification");
    });
  });

  test("a transaction that is silent for too long loses its locks, with that reason", async () => {
    await withPostgres(provide, { silenceMs: 200 }, async (store) => {
      const holds = Promise.withResolvers<void>();
      const woken = Promise.withResolvers<void>();
      const silent = store.write(async (tx) => {
        await store.lock(tx, "sequence");
        await addNode(tx, 1);
        holds.resolve();
        await woken.promise;
        await addNode(tx, 2);
      });
      const refused = assert.rejects(silent, isUnavailable);
      await holds.promise;
      await store.write(async (tx) => {
        await store.lock(tx, "sequence");
        await addNode(tx, 3);
      });
      woken.resolve();
      await refused;
      assert.equal((await nodes(store)).length, 1);
    });
  });

  test("a statement that waits for a lock too long is refused, however it waits", async () => {
    await withPostgres(provide, { lockMs: 200 }, async (store, url) => {
      const name = new URL(url).pathname.slice(1);
      const held = `begin; lock table node in access exclusive mode; select pg_advisory_xact_lock(hashtextextended('sequence', 0)); select pg_sleep(60)`;
      const holder = server.psql(name, held).catch(() => "");
      await until(
        async () => Number(await server.psql(name, "select count(*) from pg_locks where locktype = 'advisory'")) > 0,
        "the lock",
      );
      const beganMs = performance.now();
      const refusals = [
        store.write((tx) => store.lock(tx, "sequence")),
        store.write((tx) => addNode(tx, 1)),
        store.write(async (tx) => tx.defer(tx.deleteFrom("node"))),
        store.write((tx) => tx.readAhead(tx.selectFrom("node").select("id"))),
        nodes(store),
      ];
      await Promise.all(refusals.map((refusal) => assert.rejects(refusal, isUnavailable)));
      assert.ok(performance.now() - beganMs < 5_000, "the wait took much longer than the limit");
      await endConnections(server, url);
      await holder;
    });
  });

  test("the waits of one request share one limit, and the next request begins again", async () => {
    await withPostgres(provide, { lockMs: 1_000, requestMs: 1_500 }, async (store, url) => {
      const name = new URL(url).pathname.slice(1);
      const holder = server
        .psql(name, "begin; lock table node in access exclusive mode; select pg_sleep(60)")
        .catch(() => "");
      const heldLocks = "select count(*) from pg_locks where mode = 'AccessExclusiveLock' and granted";
      await until(async () => Number(await server.psql(name, heldLocks)) > 0, "the lock");
      const waited = async (): Promise<number> => {
        const beganMs = performance.now();
        await assert.rejects(
          store.write((tx) => addNode(tx, 1)),
          isUnavailable,
        );
        return performance.now() - beganMs;
      };
      const beganMs = performance.now();
      await sharingWaits(async () => {
        for (let change = 0; change < 3; change++) await waited();
      });
      assert.ok(performance.now() - beganMs < 2_700, "three changes waited for three whole limits");
      assert.ok((await sharingWaits(waited)) >= 900, "another request did not wait for its whole limit");
      await endConnections(server, url);
      await holder;
    });
  });

  test("a request without a connection in time is refused, and no connection is lost", async () => {
    await withPostgres(provide, { connectionMs: 100 }, async (store) => {
      const woken = Promise.withResolvers<void>();
      const all = Promise.withResolvers<void>();
      let inside = 0;
      const busy = Array.from({ length: 10 }, () =>
        store.write(async (tx) => {
          await sql`select 1`.execute(tx);
          if (++inside === 10) all.resolve();
          await woken.promise;
        }),
      );
      await all.promise;
      await assert.rejects(
        store.write((tx) => addNode(tx, 1)),
        isUnavailable,
      );
      woken.resolve();
      await Promise.all(busy);
      await Promise.all(Array.from({ length: 10 }, (_, index) => store.write((tx) => addNode(tx, index))));
      assert.equal((await nodes(store)).length, 10);
    });
  });

  test("a backend that stops answering is given up at the deadline, and does not come back", async () => {
    await withPostgres(provide, { transactionMs: 500 }, async (store) => {
      let pid = 0;
      const hung = store.write(async (tx) => {
        await addNode(tx, 1);
        pid = (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)).rows[0]?.pid ?? 0;
        process.kill(pid, "SIGSTOP");
        await addNode(tx, 2);
      });
      try {
        await assert.rejects(hung, isUnavailable);
        await store.write((tx) => addNode(tx, 3));
      } finally {
        process.kill(pid, "SIGCONT");
      }
      assert.equal((await nodes(store)).length, 1);
    });
  });

  test("the server checks that the clients of running statements are still connected", async () => {
    await withPostgres(provide, {}, async (store) => {
      const names = [
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "client_connection_check_interval",
        "tcp_user_timeout",
      ];
      for (const db of [store.read, null]) {
        const values: string[] = [];
        for (const name of names) {
          const query = sql<{ value: string }>`select current_setting(${name}, true) as value`;
          const { rows } = db === null ? await store.write((tx) => query.execute(tx)) : await query.execute(db);
          values.push(rows[0]?.value ?? "");
        }
        assert.deepEqual(values, ["2s", "2500ms", "1s", "2500"]);
      }
    });
  });

  test("a server that can't be reached is named without its password", async () => {
    const url = "postgres://mooring:topsecret@127.0.0.1:1/records?application_name=topsecret";
    await assert.rejects(openPostgres({ url, clock: systemClock }), (error: unknown) => {
      assert.ok(error instanceof Error);
      assert.match(
        error.message,
        /^cannot open the metadata database postgres:\/\/127\.0\.0\.1:1\/records: connect ECONNREFUSED/,
      );
      assert.ok(!error.message.includes("topsecret"));
      return true;
    });
  });
});

async function withPostgres(
  provide: () => Promise<TestDatabase>,
  waits: Partial<Waits>,
  use: (store: MetadataStore, url: string) => Promise<void>,
): Promise<void> {
  const database = await provide();
  const url = database.url ?? "";
  const store = await openPostgres({ url, clock: systemClock, waits: { ...waitsOf(), ...waits } });
  try {
    await use(store, url);
  } finally {
    await store.close();
  }
  assert.deepEqual(await database.leftovers(), []);
  await database.remove();
}

/** Polls until a deadline, because the server sees a closed connection a little later than the client. */
async function connectionsLeft(server: PostgresServer, name: string): Promise<string[]> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const lines = await server.psql(
      "postgres",
      `select application_name, state, query from pg_stat_activity where datname = '${name}'`,
    );
    const left = lines.split("\n").filter((line) => line !== "");
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(20);
  }
}

async function endConnections(server: PostgresServer, url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await server.psql(
    "postgres",
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  );
}

/** Returns a function whose callers wait until `parties` of them have called it the first time. */
function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === parties) resolve();
    return promise;
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof Problem && error.code === "unavailable";
}

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadline, `${what} did not come`);
    await delay(10);
  }
}

async function addNode(tx: Writer, number: number): Promise<void> {
  await tx
    .insertInto("node")
    .values({ id: `node_${number}`, applied_seq: number, started_at: 0, seen_at: 0 })
    .execute();
}

async function raise(tx: Writer, number: number): Promise<void> {
  await tx
    .updateTable("node")
    .set((eb) => ({ seen_at: eb("seen_at", "+", 1) }))
    .where("id", "=", `node_${number}`)
    .execute();
}

async function nodes(store: MetadataStore): Promise<{ seen_at: number }[]> {
  return store.read.selectFrom("node").select("seen_at").execute();
}
