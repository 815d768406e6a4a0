import assert from "node:assert/strict";
import { chownSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { systemClock } from "#kernel/time.ts";
import { makeCertificates } from "../../../../../tests/fixtures/certificates.ts";
import { missingPgBouncer, startPgBouncer } from "../../../../../tests/fixtures/pgbouncer.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../../../../tests/fixtures/postgres-server.ts";
import type { MetadataStore } from "../types.ts";
import { examinePostgres } from "./examine.ts";
import { versionFault } from "./requirements.ts";
import { openPostgres } from "./store.ts";

const missing = postgresMissing();

describe("PostgreSQL as operators run it", { skip: missing ?? false }, () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-pg-tls-"));
  const certificates = makeCertificates(directory);
  let server: PostgresServer;

  before(async () => {
    const names = ["server.crt", "server.key"];
    server = await startPostgres({
      more: ["ssl=on", "ssl_cert_file=../server.crt", "ssl_key_file=../server.key"],
      prepare: (place, owner) => {
        for (const name of names) {
          copyFileSync(join(directory, name), join(place, name));
          if (owner !== undefined) chownSync(join(place, name), owner.uid, owner.gid);
        }
      },
    });
  });
  after(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  let databases = 0;
  const newDatabase = async (): Promise<string> => {
    const name = `ops_${++databases}`;
    await server.createDatabase(name);
    return name;
  };

  /** Opens the store, and checks that writes, reads, limits and notifications work. */
  async function assertWorks(url: string): Promise<void> {
    const store = await openPostgres({ url, clock: systemClock, connections: { read: 2, write: 2 } });
    try {
      await assertNotifies(store);
      const { rows } = await sql<{ value: string }>`select current_setting('statement_timeout') as value`.execute(
        store.read,
      );
      assert.notEqual(rows[0]?.value, "0");
      await assert.rejects(sql`create table refused (n int)`.execute(store.read), (error: Error) =>
        /read-only/.test(error.cause instanceof Error ? error.cause.message : error.message),
      );
      const asked = await Promise.all(
        Array.from({ length: 8 }, () =>
          sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)::text`.execute(store.read),
        ),
      );
      assert.equal(new Set(asked.map((answer) => answer.rows[0]?.pid)).size, 2, "as many connections as set");
    } finally {
      await store.close();
    }
  }

  async function assertNotifies(store: MetadataStore): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = store.onNotify("job", resolve);
    await store.write((tx) => store.notify(tx, "job"));
    await promise;
    stop();
  }

  test("a version before 15 is refused", () => {
    assert.match(versionFault(140_022) ?? "", /^PostgreSQL 14 is too old; upgrade it to 15 or newer$/);
    assert.equal(versionFault(150_000), null);
    assert.equal(versionFault(180_004), null);
  });

  test("a role that only owns its database is enough", async () => {
    await server.psql("postgres", "create role plain login");
    await server.psql("postgres", "create database plain owner plain");
    const url = `postgres://plain@127.0.0.1:${server.port}/plain`;
    await assertWorks(url);
    const facts = await examinePostgres(url);
    assert.deepEqual(
      [facts.isSuperuser, facts.canCreate, facts.isPooled, facts.isNotified, facts.isLocal, facts.tls],
      [false, true, false, true, true, null],
    );
    assert.equal(facts.connectionsMax, 197);
  });

  test("a role that can't create tables is refused with the reason", async () => {
    await server.psql("postgres", "create role reader login");
    const name = await newDatabase();
    const url = `postgres://reader@127.0.0.1:${server.port}/${name}`;
    await assert.rejects(openPostgres({ url, clock: systemClock }), /permission denied for schema public/);
    assert.equal((await examinePostgres(url)).canCreate, false);
  });

  test("TLS checks the certificate and the name", async () => {
    const name = await newDatabase();
    const url = (host: string, words: string): string => `postgres://postgres@${host}:${server.port}/${name}?${words}`;
    const verified = `sslmode=verify-full&sslrootcert=${certificates.caFile}`;
    await assertWorks(url("localhost", verified));
    assert.match((await examinePostgres(url("localhost", verified))).tls ?? "", /^TLSv1\.[23]$/);
    await assert.rejects(
      openPostgres({ url: url("localhost", "sslmode=verify-full"), clock: systemClock }),
      /cannot open the metadata database .*certificate/,
    );
    await assert.rejects(
      openPostgres({ url: url("127.0.0.2", verified), clock: systemClock }),
      /cannot open the metadata database .*(altnames|ECONNREFUSED)/,
    );
  });

  const skip = missingPgBouncer();

  test("PgBouncer in session mode works", { skip }, async () => {
    const pooler = await startPgBouncer(server.port, "session");
    try {
      const url = pooler.url(await newDatabase());
      await assertWorks(url);
      const facts = await examinePostgres(url);
      assert.deepEqual([facts.isPooled, facts.isNotified], [true, true]);
    } finally {
      await pooler.stop();
    }
  });

  for (const more of ["", "default_pool_size = 1", "server_round_robin = 1", "ignore_startup_parameters = options"])
    test(`PgBouncer in transaction mode is refused with the reason (${more})`, { skip }, async () => {
      const pooler = await startPgBouncer(server.port, "transaction", more);
      try {
        const url = pooler.url(await newDatabase());
        await assert.rejects(
          openPostgres({ url, clock: systemClock }),
          /cannot open .*pool_mode = transaction.*session/,
        );
      } finally {
        await pooler.stop();
      }
    });
});
