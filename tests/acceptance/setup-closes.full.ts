/**
 * The set-up of a server closes with the first account: no older link makes another operator, in any order of starts.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, afterEach, test } from "node:test";
import { backUp, restoreBackup } from "../fixtures/backups.ts";
import { bootstrap, startServer, type Server } from "../fixtures/server.ts";

const PASSWORD = "correct horse battery";
const directory = mkdtempSync(join(tmpdir(), "mooring-setup-"));
const running = new Set<Server>();
let made = 0;

afterEach(async () => {
  for (const server of running) await server.dispose();
  running.clear();
});
after(() => rmSync(directory, { recursive: true, force: true }));

function newDirectory(): string {
  return join(directory, String(++made));
}

async function serve(dataDir: string): Promise<Server> {
  const server = await startServer({ dataDir, database: "sqlite" });
  running.add(server);
  return server;
}

async function stop(server: Server): Promise<void> {
  await server.stop();
  running.delete(server);
}

function printedLink(server: Server): string | undefined {
  return /\/setup#(\S+)/.exec(server.stdout())?.[1];
}

async function setUp(server: Server, token: string): Promise<{ status: number; admin: boolean | null; text: string }> {
  const headers = { origin: server.origin };
  const json = { token, name: "Ada", password: PASSWORD };
  const answer = await server.call("POST", "/api/setup", { json, headers });
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (answer.status !== 201 || cookie === undefined) return { status: answer.status, admin: null, text: answer.text };
  const session = await server.call<{ user: { instance_admin: boolean } }>("GET", "/api/session", {
    headers: { cookie },
  });
  const admin = session.body.user.instance_admin;
  const instance = await server.call("GET", "/api/instance/organizations", { headers: { cookie } });
  assert.equal(instance.status, admin ? 200 : 403);
  return { status: answer.status, admin, text: answer.text };
}

function tokenOf({ owner }: { owner: { setup_url: string | null } }): string {
  return owner.setup_url?.split("#")[1] ?? assert.fail("no link");
}

test("serve, then bootstrap: after the owner's set-up, the link that the start printed makes nobody an operator", async () => {
  const server = await serve(newDirectory());
  const printed = printedLink(server) ?? assert.fail(server.stdout());
  const acme = await server.bootstrap({ org: "acme" });
  assert.deepEqual(await setUp(server, tokenOf(acme)).then(({ status, admin }) => [status, admin]), [201, true]);
  const late = await setUp(server, printed);
  assert.deepEqual([late.status, late.admin], [404, null], late.text);
  await stop(server);
  const again = await serve(server.dataDir);
  assert.equal(printedLink(again), undefined, "a start prints no link once there is an operator");
  // Another organization's owner sets up their account, and is not an operator.
  const globex = await again.bootstrap({ org: "globex" });
  assert.deepEqual(await setUp(again, tokenOf(globex)).then(({ status, admin }) => [status, admin]), [201, false]);
});

test("serve, then bootstrap: if the printed link is used first, the other owner gets an account and nothing more", async () => {
  const server = await serve(newDirectory());
  const acme = await server.bootstrap({ org: "acme" });
  const printed = printedLink(server) ?? assert.fail(server.stdout());
  assert.equal((await setUp(server, printed)).admin, true);
  assert.deepEqual(await setUp(server, tokenOf(acme)).then(({ status, admin }) => [status, admin]), [201, false]);
});

test("bootstrap, then serve: both links belong to one owner, and one of them is used", async () => {
  const dataDir = newDirectory();
  const acme = await bootstrap(dataDir, {}, { org: "acme" });
  const globex = await bootstrap(dataDir, {}, { org: "globex", app: "other" });
  const server = await serve(dataDir);
  const printed = printedLink(server) ?? assert.fail(server.stdout());
  assert.equal((await setUp(server, tokenOf(globex))).admin, true);
  assert.equal((await setUp(server, printed)).status, 404);
  assert.deepEqual(await setUp(server, tokenOf(acme)).then(({ status, admin }) => [status, admin]), [201, false]);
});

test("links used at the same moment make one operator", async () => {
  const server = await serve(newDirectory());
  const links = [printedLink(server) ?? assert.fail(server.stdout())];
  for (const org of ["one", "two", "three"]) links.push(tokenOf(await server.bootstrap({ org, app: `app-${org}` })));
  const outcomes = await Promise.all(links.map((link) => setUp(server, link)));
  assert.equal(outcomes.filter(({ admin }) => admin === true).length, 1, JSON.stringify(outcomes));
});

test("a restored backup has no open link, with and without a finished set-up", async () => {
  const server = await serve(newDirectory());
  const printed = printedLink(server) ?? assert.fail(server.stdout());
  const acme = await server.bootstrap({ org: "acme" });
  const backup = join(directory, `backup-${made}`);
  await backUp(backup, server.dataDir);
  assert.equal((await setUp(server, tokenOf(acme))).admin, true);
  await stop(server);

  const restored = newDirectory();
  assert.match(await restoreBackup(backup, server.dataDir, restored), /open links ended: 2 setup links/);
  const second = await serve(restored);
  for (const token of [printed, tokenOf(acme)]) assert.equal((await setUp(second, token)).status, 404);
  // It was created before anybody set the server up, so its start prints a separate link.
  const fresh = printedLink(second) ?? assert.fail(second.stdout());
  assert.equal((await setUp(second, fresh)).admin, true);
});

test("a restored backup of an older version stays unchanged, and has no open link after its migration", async () => {
  const dataDir = newDirectory();
  const acme = await bootstrap(dataDir, {}, { org: "acme" });
  const taken = withoutLastMigration(dataDir);
  const backup = join(directory, `backup-${made}`);
  await backUp(backup, dataDir);
  const restored = newDirectory();
  const said = await restoreBackup(backup, dataDir, restored);
  assert.match(said, /the records are of an older version: mooring serve, or mooring upgrade/);
  const names = records(restored, (db) =>
    db
      .prepare("select name from migration")
      .all()
      .map(({ name }) => name),
  );
  assert.ok(!names.includes(taken.name), "nothing was migrated");
  // Its schema is really this version's, so the migration only changes its name.
  records(restored, (db) =>
    db.prepare("insert into migration (name, applied_at) values (?, ?)").run(taken.name, taken.appliedAt),
  );
  const server = await serve(restored);
  assert.equal((await setUp(server, tokenOf(acme))).status, 404);
});

function records<T>(dataDir: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(dataDir, "mooring.db"), { timeout: 5000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function withoutLastMigration(dataDir: string): { name: string; appliedAt: number } {
  return records(dataDir, (db) => {
    const last = db.prepare("select name, applied_at from migration order by name desc limit 1").get();
    db.prepare("delete from migration where name = ?").run(String(last?.["name"]));
    return { name: String(last?.["name"]), appliedAt: Number(last?.["applied_at"]) };
  });
}
