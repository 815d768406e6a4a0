/** A newer version's commands beside an older server: none of them changes the schema of its records. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { mooring } from "../fixtures/process.ts";
import { startServer, useServer } from "../fixtures/server.ts";

const shared = useServer();
const directory = mkdtempSync(join(tmpdir(), "mooring-upgrade-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const OLD = /older version of Mooring has made the metadata database.*mooring upgrade/s;

interface Case {
  readonly args: (data: readonly string[]) => readonly string[];
  /** Its message about records of an older version; null if it does not open them. */
  readonly says: RegExp | null;
  readonly succeeds?: true;
}

const credentials = join(directory, "credentials.json");
const opens = (...words: string[]): Case => ({ args: (data) => [...words, ...data], says: OLD });
const client = (...words: string[]): Case => ({ args: () => [...words, "--credentials", credentials], says: null });

/** Each command with usual arguments, by its name in the overview. */
const CASES: Readonly<Record<string, Case>> = {
  serve: { args: () => ["serve", "--help"], says: null }, // It migrates, and reports that.
  login: { args: () => ["login", "--help"], says: null },
  logout: { args: () => ["logout", "--help"], says: null },
  auth: { args: () => ["auth", "--help"], says: null },
  bootstrap: opens("bootstrap", "--org", "acme", "--project", "web", "--app", "shop"),
  ingest: client("ingest", "logs", "--help"),
  query: client("query", "SELECT 1"),
  tail: client("tail", "--help"),
  files: client("files", "ls"),
  credential: client("credential", "list"),
  "ingest-key": opens("ingest-key", "create", "--org", "acme", "--name", "k"),
  token: opens("token", "create", "ada@example.com", "--org", "acme", "--name", "t", "--scope", "registry:pull"),
  s3: client("s3", "keys", "list"),
  registry: opens("registry", "gc"),
  webhooks: client("webhooks", "list"),
  account: opens("account", "list"),
  operator: opens("operator", "list"),
  nodes: opens("nodes", "list"),
  audit: opens("audit", "verify"),
  keys: opens("keys", "list"),
  leak: { args: () => ["leak", "find", "--help"], says: null },
  "master-key": opens("master-key", "status"),
  quota: opens("quota", "show"),
  scrub: opens("scrub"),
  backup: { args: (data) => ["backup", "--to", join(directory, "backups"), ...data], says: null, succeeds: true },
  restore: { args: () => ["restore", "--help"], says: null },
  export: opens("export", "--org", "acme", "--to", join(directory, "export")),
  import: { args: () => ["import", "--help"], says: null },
  clock: opens("clock"),
  upgrade: { args: (data) => ["upgrade", ...data], says: /a server runs on this data directory/ },
  doctor: opens("doctor"),
  config: { args: (data) => ["config", ...data], says: null },
  healthcheck: { args: (data) => ["healthcheck", ...data], says: null },
  completion: { args: () => ["completion", "bash"], says: null },
  version: { args: () => ["version"], says: null },
};

function records<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(shared.server.dataDir, "mooring.db"), { timeout: 5000 });
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const applied = (): string[] =>
  records((db) => db.prepare("select name from migration order by name").all()).map(({ name }) => String(name));

test("every command of a newer version leaves an older server's records unchanged", async (t) => {
  const { dataDir } = shared.server;
  writeFileSync(credentials, JSON.stringify(shared.home), { mode: 0o600 });
  const overview = (await mooring(["--help"])).stdout;
  const names = [...overview.matchAll(/^ {2}([a-z0-9-]+) {2,}\S/gm)].map(([, name = ""]) => name);
  assert.deepEqual(names.toSorted(), Object.keys(CASES).toSorted(), "a new command needs a case here");
  // Makes the server look older to the commands: the records lack their last migration.
  const last = applied().at(-1) ?? assert.fail("there are no migrations");
  const row = records((db) => db.prepare("select * from migration where name = ?").get(last));
  records((db) => db.prepare("delete from migration where name = ?").run(last));
  const before = applied();
  try {
    for (const [name, { args, says, succeeds }] of Object.entries(CASES))
      await t.test(name, async () => {
        const outcome = await mooring(args(["--data-dir", dataDir]), { environment: shared.server.environment });
        assert.deepEqual(applied(), before, "the schema is unchanged");
        const text = outcome.stdout + outcome.stderr;
        if (succeeds === true) assert.equal(outcome.code, 0, text);
        if (says === null) assert.doesNotMatch(text, OLD);
        else {
          assert.notEqual(outcome.code, 0, text);
          assert.match(text, says);
        }
      });
    const dry = await mooring(["upgrade", "--dry-run", "--json", "--data-dir", dataDir]);
    assert.deepEqual(JSON.parse(dry.stdout), { pending: [last], applied: [] });
    assert.deepEqual(applied(), before);
  } finally {
    records((db) =>
      db.prepare("insert into migration (name, applied_at) values (?, ?)").run(last, Number(row?.["applied_at"])),
    );
  }
  const answer = await shared.server.call("GET", "/v1/me", { token: shared.token });
  assert.equal(answer.status, 200, "the older server continues");
});

test("in an empty data directory bootstrap creates the records; other commands name the remedy", async () => {
  const empty = mkdtempSync(join(directory, "empty-"));
  const asked = await mooring(["audit", "verify", "--data-dir", empty]);
  assert.equal(asked.code, 1);
  assert.match(asked.stderr, /there are no records yet: start the server/);
  const words = ["bootstrap", "--org", "acme", "--project", "web", "--app", "shop", "--data-dir", empty];
  assert.equal((await mooring(words)).code, 0);
  const dry = await mooring(["upgrade", "--dry-run", "--data-dir", empty]);
  assert.match(dry.stdout, /nothing to do/);
  const server = await startServer({ dataDir: empty });
  await server.stop();
});
