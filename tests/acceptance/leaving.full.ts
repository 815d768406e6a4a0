/** A person leaves: no table, file, log or later backup of the server has their address, and a restore deletes them again. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { backUp, restoreBackup } from "../fixtures/backups.ts";
import { Person } from "../fixtures/person.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { startServer, type Server } from "../fixtures/server.ts";

const EMAIL = "leaver-7f3a@private.example";
const FORMER = "former-7f3a@private.example";
const NAME = "Zebedee Quillfeather";
const SETTINGS = { log_level: "debug" };
const SECRETS = [EMAIL, FORMER, NAME];

let directory: string;
let server: Server;
let owner: Person;
let leaver: Person;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-leaving-"));
  const dataDir = join(directory, "data");
  server = await startServer({ dataDir, database: "sqlite", settings: SETTINGS });
  const { dataDir: place } = server;
  const made = await mooring([
    "bootstrap",
    "--org",
    "acme",
    "--project",
    "web",
    "--app",
    "shop",
    "--owner-email",
    "owner@acme.example",
    "--json",
    "--data-dir",
    place,
  ]);
  assert.equal(made.code, 0, made.stderr);
  const { owner: account } = JSON.parse(made.stdout) as { owner: { email: string; setup_url: string | null } };
  owner = await Person.setUp(server, account);
  leaver = await Person.invited(owner, FORMER, "developer");
});

after(async () => {
  await server.dispose();
  rmSync(directory, { recursive: true, force: true });
});

/** Returns the files below a directory that have one of the texts, as bytes. */
function filesWith(root: string, texts: readonly string[]): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(root, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    const bytes = readFileSync(path);
    return texts.some((text) => bytes.includes(text));
  });
}

test("no table, file, log or later backup of the server has the address of a deleted person", async () => {
  assert.equal((await leaver.call("PATCH", "/api/account", { name: NAME })).status, 200);
  assert.equal((await leaver.call("PUT", "/api/account/email", { email: EMAIL })).status, 200);
  const token = { organization: "acme", name: "laptop", scopes: ["telemetry:read"] };
  assert.equal((await leaver.call("POST", "/api/account/tokens", token)).status, 201);
  const credential = await leaver.api("POST", "/v1/credentials", { name: "ci", scopes: ["telemetry:write"] });
  assert.equal(credential.status, 201, credential.text);
  // A query writes the audit log into files.
  const rows = await owner.api("POST", "/v1/query", {
    sql: "SELECT count(*) AS n FROM audit_log WHERE detail::text LIKE '%7f3a%'",
  });
  assert.equal(rows.status, 200, rows.text);
  const backups = join(directory, "backups");
  const early = await backUp(backups, server.dataDir);
  assert.notEqual(filesWith(server.dataDir, SECRETS).length, 0, "the scan must find the address while it is there");
  assert.deepEqual(filesWith(backups, SECRETS), [], "backups are encrypted");

  const userId = leaver.id;
  assert.equal((await leaver.call("DELETE", "/api/account")).status, 204);
  // The erasure continues after the end of its server.
  await server.kill();
  const log = `${server.stdout()}${server.stderr()}`;
  server = await startServer({ dataDir: server.dataDir, database: "sqlite", settings: SETTINGS });
  owner = await Person.signedIn(server, owner.email);
  await eventually("the last trace to go", () => (filesWith(server.dataDir, SECRETS).length === 0 ? true : null));
  const later = await backUp(backups, server.dataDir);
  await restoreBackup(backups, server.dataDir, join(directory, "later"), later);
  assert.deepEqual(filesWith(join(directory, "later"), SECRETS), []);
  const all = `${log}${server.stdout()}${server.stderr()}`;
  for (const text of SECRETS) assert.ok(!all.includes(text), `the log has ${text}`);

  const verified = await mooring(["audit", "verify", "--json", "--data-dir", server.dataDir]);
  assert.equal(verified.code, 0, verified.stdout);
  const [, acme] = JSON.parse(verified.stdout) as { erased: number }[];
  assert.ok((acme?.erased ?? 0) > 0, verified.stdout);
  const { body } = await owner.api<{ items: { action: string; detail: object }[] }>(
    "GET",
    `/v1/audit?target=${userId}`,
  );
  assert.ok(body.items.some(({ action }) => action === "person.delete"));
  // The owner is responsible for the credential now.
  const adopted = await owner.api<{ responsible: { id: string } }>(
    "GET",
    `/v1/credentials/${String(credential.body["id"])}`,
  );
  assert.equal(adopted.body.responsible.id, owner.id);

  const restored = join(directory, "restored");
  assert.match(await restoreBackup(backups, server.dataDir, restored, early), /deleted again: 1 people/);
  assert.deepEqual(filesWith(restored, SECRETS), []);
  assert.equal((await mooring(["audit", "verify", "--data-dir", restored])).code, 0);
});
