/**
 * Deletes an organization with content of every kind, and kills the server again and again while it deletes everything.
 * Each start continues, and the other organization keeps everything.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl, type DatabaseKind } from "../fixtures/databases.ts";
import { downloadUrl, fetched, uploaded } from "../fixtures/files.ts";
import { Person } from "../fixtures/person.ts";
import { psqlOnce } from "../fixtures/postgres-server.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { repositoryOf } from "../fixtures/registry.ts";
import { makeSecrets } from "../fixtures/secrets.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { acceptedEvent, post } from "../fixtures/webhooks.ts";

const WATCH = new URL("../fixtures/kill-at-step.ts", import.meta.url).href;
const SETTINGS = { rate_limit_per_second: 100_000, rate_limit_burst: 100_000, webhooks_private_addresses: "allow" };
const NAMES = { org: "customer", project: "web", app: "shop-customer" };
const MARKER = "only-the-customer-knows-7f3a";
const OBJECTS = 30;
/** Each kill comes some steps later than the one before, so that the kills are spread over all steps. */
const STEPS_APART = 2;
const KILLS_MIN = 12;
const KILLS_MAX = 30;
/** On a busy machine, most changes only renew the job. */
const CHANGES = "^(?!(before|after) update job$)";

for (const { kind, skip } of DATABASES)
  describe(`the deletion of an organization on ${kind}`, { skip }, () => {
    const directory = mkdtempSync(join(tmpdir(), "mooring-org-deletion-"));
    const dataDir = join(directory, "data");
    const order = join(directory, "kill");
    let server: Server;
    let first: Bootstrap;
    let operator: Person;
    let home: Bootstrap;
    let token: string;
    let hook: string;
    let kept: { readonly id: string };

    const start = (environment?: Record<string, string>): Promise<Server> =>
      startServer({
        dataDir,
        database: kind,
        settings: SETTINGS,
        ...(environment === undefined ? {} : { environment }),
      });

    before(async () => {
      server = await start();
      first = await server.bootstrap();
      operator = await Person.setUp(server, first.owner);
      const firstToken = await server.token(first.credential);
      await ingested(server, firstToken, "logs", [logEntry("of the other organization")]);
      kept = await uploaded(server, firstToken, {}, "kept");
      home = await server.bootstrap(NAMES);
      token = await server.token(home.credential);
      await fill();
    });
    after(async () => {
      await server.dispose();
      rmSync(directory, { recursive: true, force: true });
    });

    /** Creates content of every kind in the customer's organization. */
    async function fill(): Promise<void> {
      const { webhook } = await makeSecrets(server, home, OBJECTS);
      hook = webhook.url;
      await acceptedEvent(hook, MARKER);
      await uploaded(server, token, {}, MARKER.repeat(10_000));
      await ingested(
        server,
        token,
        "logs",
        Array.from({ length: 500 }, (_, i) => logEntry(`${MARKER} ${i}`)),
      );
      const repository = await repositoryOf(server, home.credential, `orgs/${NAMES.org}/${NAMES.app}`);
      await repository.image(["layer"], { tag: "latest" });
    }

    /** A webhook's state is cached for half a second. */
    async function hookAnswers(status: number): Promise<void> {
      const told = `the webhook to answer ${status}`;
      await eventually(told, async () => ((await post(hook, "later")).status === status ? true : null));
    }

    const path = (act = ""): string => `/api/instance/organizations/${home.org.id}${act}`;
    const query = (sql: string): Promise<string> => queryRecords(kind, dataDir, sql);

    test("blocks every surface at once, and everything works again after it was kept", async () => {
      const deleted = await operator.call("DELETE", path());
      assert.deepEqual([deleted.status, deleted.body["propagated"]], [200, true], deleted.text);
      const ask = (method: string, to: string) => server.call<{ code: string }>(method, to, { token });
      for (const to of ["/v1/me", "/v1/projects", "/v1/files"])
        assert.equal((await ask("GET", to)).body.code, "organization_blocked", to);
      await hookAnswers(503);
      const { client_id, client_secret } = home.credential;
      await assert.rejects(server.token({ client_id, client_secret }));
      const kept = await operator.call("POST", path("/keep"), {});
      assert.deepEqual([kept.status, kept.body["state"]], [200, "active"], kept.text);
      assert.equal((await ask("GET", "/v1/me")).status, 200);
      await hookAnswers(202);
      assert.equal((await rows(server, token, "SELECT message FROM logs")).length, 500);
    });

    test("continues where a kill stopped it, until nothing is left", async () => {
      assert.equal((await operator.call("DELETE", path())).status, 200);
      await server.stop();
      await query(`update organization set deletes_at = 1 where id = '${home.org.id}'`);
      const moments = await killedUntilDone();
      assert.ok(new Set(moments).size >= KILLS_MIN, `kills at ${moments.join(", ")}`);
      server = await start();
      await eventually("the organization to be gone", async () => ((await isGone()) ? true : null), 120_000);
    });

    /** Starts the server again and again. Each is killed some steps later than the one before, or ends the deletion. */
    async function killedUntilDone(): Promise<string[]> {
      const moments: string[] = [];
      for (let kill = 1; kill <= KILLS_MAX && !(await isGone()); kill++) {
        writeFileSync(order, String(kill * STEPS_APART));
        rmSync(`${order}.at`, { force: true });
        const environment = { NODE_OPTIONS: `--import=${WATCH}`, KILL_AT_STEP: order, KILL_AT_CHANGE: CHANGES };
        // It may be killed before it is ready.
        const started = await start(environment).catch(() => undefined);
        if (started !== undefined) {
          const killed = started.exited.then(() => true);
          const done = eventually("the end", async () => ((await isGone()) ? true : null), 120_000).catch(() => false);
          await Promise.race([killed, done]);
          await started.dispose();
        }
        if (existsSync(`${order}.at`)) moments.push(readFileSync(`${order}.at`, "utf8"));
        assert.equal(kind === "sqlite" ? await query("pragma foreign_key_check") : "", "", moments.at(-1));
      }
      rmSync(order, { force: true });
      return moments;
    }

    async function isGone(): Promise<boolean> {
      return (await query(`select count(*) from organization where id = '${home.org.id}'`)) === "0";
    }

    test("no table and no file has anything of it", async () => {
      for (const table of (await query(TABLES[kind])).split("\n"))
        assert.equal(await query(`select count(*) from "${table}" where org_id = '${home.org.id}'`), "0", table);
      const known = new Set((await query("select id from blob")).split("\n"));
      const files = filesBelow(join(dataDir, "objects", "blobs"));
      assert.deepEqual(
        files.map((file) => file.split("/").at(-1) ?? "").filter((id) => !known.has(id)),
        [],
        "content without a record",
      );
      const texts = ["objects", "telemetry"].flatMap((part) => filesBelow(join(dataDir, part)));
      assert.deepEqual(
        texts.filter((file) => readFileSync(file).includes(MARKER)),
        [],
      );
      assert.deepEqual(filesBelow(join(dataDir, "telemetry", "parquet", home.org.id)), []);
    });

    test("the other organization has everything, the slug stays reserved, and the log of the installation is whole", async () => {
      const again = await server.token(first.credential);
      assert.equal((await rows(server, again, "SELECT message FROM logs")).length, 1);
      const { bytes } = await fetched(await downloadUrl(server, again, kept.id));
      assert.equal(bytes.toString(), "kept");
      operator = await Person.signedIn(server, first.owner.email);
      const body = { slug: NAMES.org, name: "Thief", owner_email: first.owner.email };
      const taken = await operator.call<{ code: string }>("POST", "/api/instance/organizations", body);
      assert.equal(taken.body.code, "conflict", taken.text);
      assert.equal(await query("select count(*) from audit where action = 'organization.erase'"), "1");
      const verified = await mooring(["audit", "verify", "--data-dir", dataDir], { environment: server.environment });
      assert.equal(verified.code, 0, verified.stderr);
    });
  });

/** Lists the tables with rows of organizations. */
const TABLES: Readonly<Record<DatabaseKind, string>> = {
  sqlite:
    "select m.name from sqlite_master m join pragma_table_info(m.name) c on c.name = 'org_id' where m.type = 'table' order by m.name",
  postgres:
    "select table_name from information_schema.columns where column_name = 'org_id' and table_schema = 'public' order by 1",
};

/** Runs a statement on the records, also beside a running server. Returns lines of the first column. */
async function queryRecords(kind: DatabaseKind, dataDir: string, statement: string): Promise<string> {
  if (kind === "postgres") return (await psqlOnce(await postgresUrl(dataDir), statement)).trim();
  const db = new DatabaseSync(join(dataDir, "mooring.db"), { timeout: 10_000 });
  try {
    const found = db.prepare(statement).all();
    return found.map((row) => String(Object.values(row)[0])).join("\n");
  } finally {
    db.close();
  }
}

function filesBelow(root: string): string[] {
  if (!existsSync(root)) return [];
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => join(root, name));
  return names.filter((name) => statSync(name, { throwIfNoEntry: false })?.isFile() === true);
}
