/** Faults of the servers that Mooring needs: PostgreSQL and an S3 store. */
import assert from "node:assert/strict";
import { after } from "node:test";
import { postgresMissing, startPostgres, type PostgresServer } from "../fixtures/postgres-server.ts";
import { freePorts } from "../fixtures/ports.ts";
import { makeBucket } from "../fixtures/s3-server.ts";
import { startServer, type Server } from "../fixtures/server.ts";
import { askUpload } from "../fixtures/files.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { playFaults, type Fault } from "./fault.ts";

let postgres: PostgresServer | undefined;

const stopped: Fault = {
  name: "database stopped",
  alert: "MooringRecordsUnreachable",
  words: /can't reach its database/,
  page: "database-stopped",
  // The session of the browser is in the database, too.
  shows: async (machine, words) => {
    const tab = await machine.portal.open();
    await tab.page.goto("/instance");
    const { page } = tab;
    const said = page.getByText(words).first().waitFor({ timeout: 90_000 });
    await said.catch(async () => assert.fail(await page.locator("body").innerText()));
    await tab.close();
  },
  cause: async () => postgres?.crash?.(),
  cured: async (machine) => {
    await machine.token();
  },
};

playFaults(
  async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase("faults");
    return {
      environment: { MOORING_DATABASE_URL: url },
      services: {
        postgresql: { start: async () => postgres?.restart?.(), stop: async () => postgres?.crash?.() },
      },
    };
  },
  [stopped],
  postgresMissing() ?? false,
);

/** The S3 store is another server of ours: its gateway is an S3 server. */
const storeDir = mkdtempSync(join(tmpdir(), "mooring-store-"));
let store: Server | undefined;
let listeners = {};

async function startStore(): Promise<void> {
  store = await startServer({ dataDir: storeDir, database: "sqlite", settings: listeners });
}

after(async () => {
  await store?.dispose();
  await postgres?.stop();
  rmSync(storeDir, { recursive: true, force: true });
});

const hanging: Fault = {
  name: "store hanging",
  alert: "MooringStoreHangs",
  words: /The store of the objects does not answer/,
  page: "store-hangs",
  cause: async () => {
    assert.ok(store !== undefined);
    process.kill(store.pid, "SIGSTOP");
  },
  cured: async (machine) => {
    const asked = await askUpload(machine.server, await machine.token());
    assert.equal(asked.status, 200, asked.text);
    const store = (await machine.server.call<{ checks: object }>("GET", "/health")).body.checks;
    assert.deepEqual(store, { metadata: "ok", telemetry: "ok", objects: "ok" });
  },
};

playFaults(async () => {
  const [listen, s3Listen] = await freePorts(2);
  listeners = { listen: `127.0.0.1:${listen}`, s3_listen: `127.0.0.1:${s3Listen}` };
  await startStore();
  const { s3, addresses } = (await store?.bootstrap()) ?? assert.fail();
  const bucket = await makeBucket({
    endpoint: addresses["s3_endpoint"] ?? "",
    accessKeyId: s3.access_key_id,
    secretAccessKey: s3.secret_access_key,
  });
  return {
    settings: bucket.settings,
    environment: bucket.environment,
    services: { "s3-store": { start: startStore, stop: async () => store?.kill() } },
  };
}, [hanging]);
