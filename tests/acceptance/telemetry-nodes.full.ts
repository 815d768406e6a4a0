/**
 * Several servers on one PostgreSQL, each with separate telemetry. None answers with only its part, and all works again
 * when one is left.
 */
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../fixtures/databases.ts";
import { refused } from "../fixtures/http.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { showLogs, startServer, type Json, type Server } from "../fixtures/server.ts";
import { ingested, logEntry, query, rows } from "../fixtures/telemetry.ts";

const skip = DATABASES.find(({ kind }) => kind === "postgres")?.skip ?? false;
const COUNT = "select count(*) as n from logs";
const CODE = "telemetry_incomplete";

describe("servers that share records", { skip }, () => {
  const MOORING_MASTER_KEY = randomBytes(32).toString("hex");
  const directories: string[] = [];
  const servers: Server[] = [];
  let environment: Readonly<Record<string, string>> = {};

  showLogs(() => servers);
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.dispose();
  });
  after(() => {
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  });

  async function fresh(): Promise<void> {
    environment = { MOORING_DATABASE_URL: await postgresUrl(randomUUID()), MOORING_MASTER_KEY };
  }

  async function start(dataDir = newDirectory()): Promise<Server> {
    const settings = { identity_url: "https://id.mooring.example", webhooks_private_addresses: "allow" };
    const server = await startServer({ database: "sqlite", dataDir, environment, settings });
    servers.push(server);
    return server;
  }

  function newDirectory(): string {
    const directory = mkdtempSync(join(tmpdir(), "mooring-nodes-"));
    directories.push(directory);
    return directory;
  }

  const nodes = (server: Server, ...words: string[]): ReturnType<typeof mooring> =>
    mooring(["nodes", ...words, "--data-dir", server.dataDir], { environment });

  test("the query log is of each server, and does not make the answers of another one incomplete", async () => {
    await fresh();
    const a = await start();
    const home = await a.bootstrap();
    const token = await a.token(home.credential);
    await ingested(a, token, "logs", [logEntry("one")]);
    const b = await start();
    refused(await query(b, token, COUNT), 503, CODE);
    const own = "select code from query_log where not contains(statement, 'query_log')";
    assert.deepEqual(await rows(b, token, own), [{ code: CODE }], "it is read while two servers run");
    await b.stop();
    assert.deepEqual(await rows(a, token, COUNT), [{ n: 1 }]);
    const again = await start(b.dataDir);
    await again.stop();
    assert.deepEqual(await rows(a, token, COUNT), [{ n: 1 }], "also after the other one has started with rows");
  });

  test("while two run, neither answers with its part: not by SQL, not by a tail, not by an alert", async () => {
    await fresh();
    const a = await start();
    const home = await a.bootstrap();
    const token = await a.token(home.credential);
    await ingested(a, token, "logs", [logEntry("one")]);
    assert.deepEqual(await rows(a, token, COUNT), [{ n: 1 }]);
    const alert = await alertOn(a, token);
    await eventually("the alert to be evaluated", async () =>
      (await stateOf(a, token, alert)).state === "firing" ? true : null,
    );
    const tail = await fetch(`${a.origin}/v1/tail/logs`, { headers: { authorization: `Bearer ${token}` } });
    const body = tail.text();

    const b = await start();
    for (const server of [a, b]) {
      const refusal = refused(await query(server, token, COUNT), 503, CODE);
      assert.match(refusal.detail, /2 servers share this database.*Run only one server/);
      refused(await query(server, token, "select count(*) from metrics join audit_log on true"), 503, CODE);
      refused(await server.call("GET", "/v1/tail/logs", { token }), 503, CODE);
      await ingested(server, token, "logs", [logEntry(server.origin)]);
      const records = await query(server, token, "select count(*) as n from audit_log");
      assert.equal(records.status, 200, "records are in the database");
      const saved = await server.call("POST", "/v1/query/saved", { token, json: { name: randomUUID(), sql: COUNT } });
      assert.equal(saved.status, 201, saved.text);
    }
    assert.match(await body, /event: end\ndata: \{"code":"telemetry_incomplete"/, "an open tail gets the reason");
    const shown = await eventually("the alert not to be evaluated", async () => {
      const present = await stateOf(b, token, alert);
      assert.notEqual(present.state, "ok");
      return present.state === "error" ? present : null;
    });
    assert.equal(shown.error?.code, CODE);
    assert.match(shown.error.detail, /^Cannot evaluate: /);
  });

  test("a server that stops in order counts as stopped at once; its rows are reported missing until an operator gives them up", async () => {
    await fresh();
    const a = await start();
    const home = await a.bootstrap();
    const globex = await a.bootstrap({ org: "globex", project: "plant", app: "reactor" });
    const [token, other] = [await a.token(home.credential), await a.token(globex.credential)];
    const b = await start();
    await ingested(a, token, "logs", [logEntry("of a")]);
    await ingested(b, token, "logs", [logEntry("of b")]);
    await ingested(a, other, "logs", [logEntry("of globex")]);
    assert.deepEqual(await b.stop(), { code: 0, signal: null });
    // At once, for organizations without rows elsewhere.
    assert.deepEqual(await rows(a, other, COUNT), [{ n: 1 }]);
    const refusal = refused(await query(a, token, COUNT), 503, CODE);
    const store = /^The directory (store_\S+) has telemetry of this organization/.exec(refusal.detail)?.[1] ?? "";
    const listed = JSON.parse((await nodes(a, "list", "--json")).stdout) as {
      id: string;
      isLive: boolean;
      organizations: string[];
    }[];
    assert.deepEqual(
      listed.map(({ isLive, organizations }) => ({ isLive, organizations })).toSorted((x) => (x.isLive ? -1 : 1)),
      [
        { isLive: true, organizations: ["acme", "globex"] },
        { isLive: false, organizations: ["acme"] },
      ],
    );
    assert.equal(listed.find(({ isLive }) => !isLive)?.id, store);
    const live = listed.find(({ isLive }) => isLive)?.id ?? "";
    assert.match((await nodes(a, "give-up", live)).stderr, /a server runs on it/);
    assert.equal((await nodes(a, "give-up", store)).code, 0);
    assert.deepEqual(await rows(a, token, COUNT), [{ n: 1 }]);
    // It comes back, and counts again.
    await start(b.dataDir);
    refused(await query(a, token, COUNT), 503, CODE);
  });

  test("a killed server counts for seconds, and a restarted one counts once", async () => {
    await fresh();
    const a = await start();
    const home = await a.bootstrap();
    const token = await a.token(home.credential);
    const b = await start();
    refused(await query(a, token, COUNT), 503, CODE);
    await b.kill();
    await eventually(
      "the killed server to be forgotten",
      async () => ((await query(a, token, COUNT)).status === 200 ? true : null),
      15_000,
    );
    await ingested(a, token, "logs", [logEntry("kept")]);
    await a.kill();
    const again = await start(a.dataDir);
    assert.deepEqual(await rows(again, token, COUNT), [{ n: 1 }], "at the first request");
  });

  async function alertOn(server: Server, token: string): Promise<string> {
    const made = async (path: string, json: Json): Promise<string> => {
      const answer = await server.call("POST", path, { token, json });
      assert.equal(answer.status, 201, answer.text);
      return String(answer.body["id"]);
    };
    const query_id = await made("/v1/query/saved", { name: "rows", sql: "select message from logs" });
    const condition = { operator: ">", threshold: 0 };
    return made("/v1/alerts", { name: "rows", query_id, every_s: 10, condition, url: "http://127.0.0.1:9/" });
  }
});

interface AlertState {
  readonly state: string;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

async function stateOf(server: Server, token: string, id: string): Promise<AlertState> {
  const answer = await server.call<AlertState>("GET", `/v1/alerts/${id}`, { token });
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}
