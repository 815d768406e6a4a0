import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Problem } from "#kernel/problem.ts";
import { systemClock } from "#kernel/time.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../../../../tests/fixtures/postgres-server.ts";
import { metadataContract, type TestDatabase } from "../contract.ts";
import type { MetadataStore, Writer } from "../types.ts";
import { openPostgres } from "./store.ts";

const DEADLINE_MS = 10_000;
const missing = postgresMissing();

describe("metadata store on PostgreSQL", { skip: missing ?? false }, () => {
  let server: PostgresServer;
  let databases = 0;

  before(async () => {
    server = await startPostgres();
  });
  after(async () => server.stop());

  const provide = async (): Promise<TestDatabase> => {
    const name = `test_${++databases}`;
    return {
      url: await server.createDatabase(name),
      dataDir: "",
      sharesNotifications: true,
      leftovers: () => connectionsLeft(server, name),
      remove: () => server.dropDatabase(name),
    };
  };

  metadataContract("postgres", provide);

  test("a deadlock is retried, and both transactions land", async () => {
    await withPostgres(provide, async (store) => {
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

  test("a serialisation failure is retried five times", async () => {
    await withPostgres(provide, async (store) => {
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
      await assert.rejects(failUntil(7), { code: "40001" });
      assert.equal(attempts, 6);
      assert.equal((await nodes(store)).length, 1);
    });
  });

  test("connections that the server ends fail what ran on them, and are replaced", async () => {
    await withPostgres(provide, async (store, url) => {
      const work = async (tx: Writer): Promise<void> => {
        await addNode(tx, 1);
        await endConnections(server, url);
        await addNode(tx, 2);
      };
      await assert.rejects(
        store.write(work),
        (error: unknown) => error instanceof Problem && error.code === "unavailable",
      );
      await store.write((tx) => addNode(tx, 3));
      await store.ping();
      assert.equal((await nodes(store)).length, 1);
    });
  });

  test("listening begins again after the connection is lost, and listeners are told that they may have missed something", async () => {
    await withPostgres(provide, async (store, url) => {
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
  use: (store: MetadataStore, url: string) => Promise<void>,
): Promise<void> {
  const database = await provide();
  const url = database.url ?? "";
  const store = await openPostgres({ url, clock: systemClock });
  try {
    await use(store, url);
  } finally {
    await store.close();
  }
  assert.deepEqual(await database.leftovers(), []);
  await database.remove();
}

/** The server sees a little later than the client that a connection is closed, so this looks again until a deadline. */
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

/** Returns a function whose callers wait for each other the first time that `parties` of them have come. */
function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived === parties) resolve();
    return promise;
  };
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!condition()) {
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
