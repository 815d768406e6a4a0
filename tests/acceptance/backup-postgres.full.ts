/** Backups of records in PostgreSQL: restored into PostgreSQL, into SQLite, and in parts. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { backUp, restoreBackup, restoreWords } from "../fixtures/backups.ts";
import { databaseEnvironment, DATABASES } from "../fixtures/databases.ts";
import { downloadUrl, fetched, sha256, uploaded } from "../fixtures/files.ts";
import { mooring } from "../fixtures/process.ts";
import { showLogs, startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { logEntry, rows } from "../fixtures/telemetry.ts";

const skip = DATABASES.find(({ kind }) => kind === "postgres")?.skip ?? "this run has no PostgreSQL";

describe("backups of PostgreSQL", { skip }, () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-backup-postgres-"));
  const place = join(directory, "backups");
  const settings = { backup_dir: place, backup_interval_hours: 0 };
  let server: Server;
  let home: Bootstrap;
  const files = new Map<string, string>();

  before(async () => {
    server = await startServer({ dataDir: join(directory, "data"), database: "postgres", settings });
    home = await server.bootstrap();
    const token = await server.token(home.credential);
    for (const bytes of [10, 300_000, 9_000_000]) {
      const content = randomBytes(bytes);
      files.set((await uploaded(server, token, {}, content)).id, sha256(content));
    }
    const entries = { entries: Array.from({ length: 20 }, (_, n) => logEntry(`line ${n}`)) };
    assert.equal((await server.call("POST", "/v1/ingest/logs", { token, json: entries })).status, 202);
  });
  showLogs(() => [server]);
  after(async () => {
    await server?.dispose();
    rmSync(directory, { recursive: true, force: true });
  });

  async function isWhole(restored: Server): Promise<void> {
    const token = await restored.token(home.credential);
    for (const [id, digest] of files)
      assert.equal(sha256((await fetched(await downloadUrl(restored, token, id))).bytes), digest);
    const [found] = await rows<{ n: number }>(restored, token, "select count(*) as n from logs");
    assert.equal(Number(found?.n), 20);
  }

  test("a second backup adds only what has changed, and the trial restore succeeds", async () => {
    await backUp(place, server.dataDir, server.environment);
    const words = ["--to", place, "--data-dir", server.dataDir];
    const second = await mooring(["backup", "--json", ...words], { environment: server.environment });
    const { added_bytes: added, facts } = JSON.parse(second.stdout) as {
      added_bytes: number;
      facts: { records: string };
    };
    assert.equal(facts.records, "postgres");
    assert.ok(added < 50_000, `${added} bytes`);
    const trial = await mooring(["backup", "trial", ...words], { environment: server.environment });
    assert.equal(trial.code, 0, trial.stdout + trial.stderr);
  });

  test("a restore into SQLite has everything", async () => {
    const target = join(directory, "sqlite");
    await restoreBackup(place, server.dataDir, target);
    const restored = await startServer({ dataDir: target, database: "sqlite" });
    try {
      await isWhole(restored);
    } finally {
      await restored.dispose();
    }
  });

  test("a restore into a new PostgreSQL database has everything, and a used database is refused", async () => {
    const target = join(directory, "postgres");
    const environment = await databaseEnvironment("postgres", target);
    const done = await mooring(restoreWords(place, server.dataDir, target), { environment });
    assert.equal(done.code, 0, done.stdout + done.stderr);
    copyFileSync(join(server.dataDir, "master.key"), join(target, "master.key"));
    const restored = await startServer({ dataDir: target, database: "postgres" });
    try {
      await isWhole(restored);
    } finally {
      await restored.dispose();
    }
    const again = await mooring(restoreWords(place, server.dataDir, join(directory, "again")), { environment });
    assert.equal(again.code, 1);
    assert.match(again.stderr, /the database is not empty/);
  });

  test("a file returns to the running server", async () => {
    const token = await server.token(home.credential);
    const [[id, digest] = ["", ""]] = [...files].slice(-1);
    assert.equal((await server.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    const words = ["restore", "--file", id, "--data-dir", server.dataDir];
    const done = await mooring(words, { environment: server.environment });
    assert.equal(done.code, 0, done.stdout + done.stderr);
    const back = /file (file_\w+)/.exec(done.stdout)?.[1] ?? assert.fail(done.stdout);
    assert.equal(sha256((await fetched(await downloadUrl(server, token, back))).bytes), digest);
  });
});
