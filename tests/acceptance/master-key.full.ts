/** mooring master-key: rotations beside a running server, keys in settings and in a service, old keys and old backups. */
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";
import { restoreWords } from "../fixtures/backups.ts";
import { keyProgram } from "../fixtures/key-program.ts";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { makeSecrets, secretsHold, signsIn, uploadCompletes, type Secrets } from "../fixtures/secrets.ts";
import { startServer, type Server } from "../fixtures/server.ts";

const folder = mkdtempSync(join(tmpdir(), "mooring-master-key-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Status {
  readonly masterId: string;
  readonly here: readonly string[];
  readonly nodes: readonly { masterIds: readonly string[] }[];
  readonly rotation: unknown;
  readonly oldValues: Readonly<Record<string, number>>;
  readonly oldHashes: Readonly<Record<string, number>>;
}

type Place = Pick<Server, "dataDir" | "environment">;

function masterKey({ dataDir, environment }: Place, ...words: string[]): Promise<Outcome> {
  return mooring(["master-key", ...words, "--data-dir", dataDir], { environment, deadlineMs: 300_000 });
}

async function done(outcome: Promise<Outcome>): Promise<string> {
  const { code, stdout, stderr } = await outcome;
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

async function statusOf(place: Place): Promise<Status> {
  return JSON.parse(await done(masterKey(place, "status", "--json"))) as Status;
}

const keyIdsIn = (dataDir: string): string[] =>
  readFileSync(join(dataDir, "master.key"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");

for (const { kind, skip } of DATABASES) {
  describe(`on ${kind}`, { skip }, () => {
    const dataDir = join(folder, kind);
    const backups = join(folder, `backups-${kind}`);
    const settings = { backup_dir: backups, backup_interval_hours: 0 };
    let server: Server;
    let secrets: Secrets;
    let session: string;
    after(() => server.dispose());

    /** Stops and starts the server at the same address, so that its tokens stay valid. */
    async function restarted(environment: Readonly<Record<string, string>> = {}): Promise<void> {
      const { host } = new URL(server.origin);
      assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr().slice(-2000));
      server = await startServer({ dataDir, database: kind, settings: { ...settings, listen: host }, environment });
    }

    test("before a rotation, one key is in the file and on the server", async () => {
      server = await startServer({ dataDir, database: kind, settings });
      secrets = await makeSecrets(server, await server.bootstrap(), 5);
      await secretsHold(server, secrets);
      const { masterId, here, nodes, rotation, oldValues } = await statusOf(server);
      assert.deepEqual(
        [keyIdsIn(dataDir), here, nodes.map((node) => node.masterIds)],
        [[masterId], [masterId], [[masterId]]],
      );
      assert.deepEqual([rotation, oldValues], [null, {}]);
      if (kind === "sqlite") await done(mooring(["backup", "--to", backups, "--data-dir", dataDir]));
      cpSync(join(dataDir, "master.key"), join(folder, `old-${kind}.key`));
    });

    test("a new master key changes no secret, now and after a restart", async () => {
      session = await signsIn(server, secrets, 0);
      const [old] = keyIdsIn(dataDir);
      await done(masterKey(server, "rotate"));
      const { masterId } = await statusOf(server);
      assert.notEqual(masterId, old);
      assert.deepEqual(keyIdsIn(dataDir), [masterId, old]);
      await secretsHold(server, secrets);
      assert.equal((await server.call("GET", "/v1/me", { token: session })).status, 200);
      await restarted();
      await secretsHold(server, secrets);
      await signsIn(server, secrets, "recovery code");
      await done(mooring(["doctor", "--data-dir", dataDir], { environment: server.environment }));
    });

    test("new keys in the records seal every value again; what exists stays valid", async () => {
      const before = kind === "sqlite" ? keyIdsOf(dataDir) : [];
      await done(masterKey(server, "rotate", "--data"));
      await secretsHold(server, secrets);
      const { oldValues, oldHashes, rotation } = await statusOf(server);
      assert.deepEqual([oldValues, rotation], [{}, null]);
      assert.ok((oldHashes["recovery-code"] ?? 0) > 0, "codes that nobody has used");
      await restarted();
      await secretsHold(server, secrets);
      await signsIn(server, secrets, 1);
      await uploadCompletes(server, secrets);
      if (kind === "sqlite")
        assert.deepEqual(valuesNaming(dataDir, before), [], "no value of any table names an old key");
      const again = await done(masterKey(server, "rotate", "--data"));
      assert.ok(!again.includes("damaged"), again);
    });

    test("after a leak, presigned URLs and sessions' tokens of the old keys end at once", async () => {
      const token = await server.token(secrets.home.credential);
      await done(masterKey(server, "rotate", "--data", "--leaked"));
      assert.equal((await server.call("GET", secrets.presigned.path)).status, 403);
      assert.equal((await server.call("GET", "/v1/me", { token: session })).status, 401);
      assert.equal((await server.call("GET", "/v1/me", { token })).status, 200, "access tokens have separate keys");
      await server.token(secrets.home.credential);
    });

    test(
      "forget names the backups that need the old key",
      { skip: kind === "sqlite" ? false : "PostgreSQL has its own backups" },
      async () => {
        const [inUse = "", old = ""] = keyIdsIn(dataDir);
        const words = ["--backup-dir", backups];
        assert.match((await masterKey(server, "forget", inUse, ...words)).stderr, /it wraps the keys/);
        const kept = await masterKey(server, "forget", old, ...words);
        assert.equal(kept.code, 1);
        assert.match(kept.stdout, /needed by \d{8}T\d{6}Z/);
        await done(masterKey(server, "forget", old, "--force", ...words));
        assert.deepEqual(keyIdsIn(dataDir), [inUse]);
        await restarted();
        await server.token(secrets.home.credential);
      },
    );

    test(
      "the old backup is restored with the old key, and another key is named",
      { skip: kind === "sqlite" ? false : "PostgreSQL has its own backups" },
      async () => {
        const restored = join(folder, "restored");
        const old = keyIdsIn(dataDir);
        const said = await done(mooring(restoreWords(backups, dataDir, restored)));
        const needed = /Put master.key \(key ([0-9a-f]+)\)/.exec(said)?.[1] ?? assert.fail(said);
        cpSync(join(dataDir, "master.key"), join(restored, "master.key"));
        const wrong = await mooring([
          "serve",
          "--data-dir",
          restored,
          "--listen",
          "127.0.0.1:0",
          "--s3-listen",
          "127.0.0.1:0",
          "--metrics-listen",
          "off",
        ]);
        assert.match(wrong.stderr, new RegExp(`sealed under key ${needed}, but .* is key ${old[0]}`));
        cpSync(join(folder, `old-${kind}.key`), join(restored, "master.key"));
        const other = await startServer({ dataDir: restored, database: "sqlite" });
        try {
          await other.token(secrets.home.credential);
          await secretsHold(other, { ...secrets, presigned: secrets.presigned });
        } finally {
          await other.dispose();
        }
      },
    );

    test("the keys move to settings, and to a service, which can be away while the server runs", async () => {
      const [, , encoded = ""] =
        readFileSync(join(dataDir, "master.key"), "utf8").trim().split("\n")[0]?.split(" ") ?? [];
      const inSettings = { MOORING_MASTER_KEY: "5a".repeat(32), MOORING_MASTER_KEY_PREVIOUS: encoded };
      await restarted(inSettings);
      const place = { dataDir, environment: { ...server.environment, ...inSettings } };
      await done(masterKey(place, "rotate"));
      await restarted({ MOORING_MASTER_KEY: inSettings.MOORING_MASTER_KEY });
      await server.token(secrets.home.credential);

      const program = keyProgram(folder);
      const byService = { MOORING_MASTER_KEY: inSettings.MOORING_MASTER_KEY, MOORING_MASTER_KEY_COMMAND: program.path };
      await restarted(byService);
      await done(masterKey({ dataDir, environment: { ...server.environment, ...byService } }, "rotate"));
      const alone = { MOORING_MASTER_KEY_COMMAND: program.path };
      rmSync(join(dataDir, "master.key"));
      await restarted(alone);
      program.setAway(true);
      await server.token(secrets.home.credential);
      const refused = await masterKey({ dataDir, environment: { ...server.environment, ...alone } }, "status");
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /the key service is away/);
      program.setAway(false);
      await restarted(alone);
      await server.token(secrets.home.credential);
      assert.ok(!existsSync(join(dataDir, "master.key")));
    });
  });
}

/** The ids of the keys that sealed values in the records. */
function keyIdsOf(dataDir: string): string[] {
  const records = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
  const rows = records.prepare("select id from key where use = 'wrap'").all();
  records.close();
  return rows.map((row) => String(row["id"]));
}

/** Returns the tables and columns in which a value names one of these keys, in bytes or in base64. */
function valuesNaming(dataDir: string, keyIds: readonly string[]): string[] {
  const records = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
  const found: string[] = [];
  for (const { name: table } of records.prepare("select name from sqlite_schema where type = 'table'").all())
    for (const row of records.prepare(`select * from "${String(table)}"`).iterate())
      for (const [column, value] of Object.entries(row)) {
        const bytes = value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
        const names = keyIds.some((id) => {
          const head = Buffer.concat([Buffer.of(2), Buffer.from(id, "hex")]);
          return bytes.includes(head) || bytes.includes(head.toString("base64"));
        });
        if (names) found.push(`${String(table)}.${column}`);
      }
  records.close();
  return found;
}
