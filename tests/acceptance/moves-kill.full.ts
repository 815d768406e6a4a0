/**
 * Kills `mooring export` and `mooring import` at many steps that change something on disk. The next try continues, and a
 * killed import leaves nothing of the organization visible.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { agrees, fill, tagDigest, type Filled } from "../fixtures/moves.ts";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { repositoryOf } from "../fixtures/registry.ts";
import { objectsHold, signsIn } from "../fixtures/secrets.ts";
import { startServer, type Server } from "../fixtures/server.ts";

const WATCH = new URL("../fixtures/kill-at-step.ts", import.meta.url).href;
/** Each try is killed this many steps later than the try before. An export has many more steps than an import. */
const GROWTH = { export: 12, import: 1 };
const KILLS_MIN = 10;

let directory: string;
let source: Server;
let filled: Filled;
let words: readonly string[];

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-moves-kill-"));
  const passphrase = join(directory, "passphrase");
  writeFileSync(passphrase, "a long passphrase of the move\n");
  words = ["--passphrase-file", passphrase];
  source = await startServer({
    database: "sqlite",
    settings: { compaction_rows_bytes: 4096, compaction_interval_ms: 500 },
  });
  filled = await fill(source);
});

after(async () => {
  await source.dispose();
  rmSync(directory, { recursive: true, force: true });
});

function run(all: readonly string[], killAt: number): Promise<Outcome> {
  const order = join(directory, "kill");
  rmSync(`${order}.at`, { force: true });
  writeFileSync(order, String(killAt));
  const environment = { ...source.environment, NODE_OPTIONS: `--import=${WATCH}`, KILL_AT_STEP: order };
  return mooring([...all, ...words], { environment, deadlineMs: 300_000 });
}

/** Runs a command to its end, and kills it again and again. Returns the moments. */
async function killed(growth: number, all: readonly string[], check: () => void | Promise<void>): Promise<string[]> {
  const moments: string[] = [];
  for (let at = 1; ; at += growth) {
    const { code, signal, stderr } = await run(all, at);
    if (signal !== "SIGKILL") {
      // A kill after the commit of an import was too late.
      const isThere = moments.length > 0 && stderr.includes("is on this server already");
      assert.ok(code === 0 || isThere, stderr);
      return moments;
    }
    moments.push(readFileSync(join(directory, "kill.at"), "utf8"));
    await check();
  }
}

/** Counts the organizations, people, credentials and telemetry files. */
function countsIn(dataDir: string): number[] {
  if (!existsSync(join(dataDir, "mooring.db"))) return [];
  const db = new DatabaseSync(join(dataDir, "mooring.db"), { timeout: 5000 });
  try {
    if (db.prepare("select 1 from sqlite_master where name = 'person'").all().length === 0) return [];
    const count = (table: string): number => Number(db.prepare(`select count(*) as n from ${table}`).get()?.["n"]);
    return ["organization", "person", "credential", "telemetry_file"].map(count);
  } finally {
    db.close();
  }
}

test("killed exports and imports continue, and nothing is half there", { timeout: 3_000_000 }, async (context) => {
  const to = join(directory, "export");
  const dataDir = join(directory, "there");
  const exports = await killed(
    GROWTH.export,
    ["export", "--org", filled.home.org.slug, "--to", to, "--data-dir", source.dataDir],
    () => {
      // A finished export has a manifest. Then the kill was after it.
      if (existsSync(join(to, "manifest.json"))) rmSync(join(to, "manifest.json"));
    },
  );
  let starts = 0;
  // Creates the records, because their migrations have many steps.
  await (await startServer({ dataDir, database: "sqlite" })).stop();
  const before = countsIn(dataDir);
  const imports = await killed(GROWTH.import, ["import", "--from", to, "--data-dir", dataDir], async () => {
    const more = countsIn(dataDir).map((rows, at) => rows - (before[at] ?? 0));
    if (more.some((rows) => rows > 0)) {
      const isWhole = more.every((rows) => rows > 0);
      return assert.ok(isWhole, `half there: ${more.join(", ")}`);
    }
    // A server between two tries deletes what it can't use, and the next try copies it again.
    if (starts++ !== 3) return;
    const between = await startServer({ dataDir, database: "sqlite" });
    await between.stop();
    await between.dispose();
  });
  context.diagnostic(`exports: ${exports.join(", ")}; imports: ${imports.join(", ")}`);
  assert.ok(starts > 3, "no server ran between two tries");
  assert.ok(exports.length >= KILLS_MIN, `${exports.length} kills of exports`);
  assert.ok(imports.length >= KILLS_MIN, `${imports.length} kills of imports`);
  const server = await startServer({ dataDir, database: "sqlite" });
  try {
    await agrees({ source, filled }, server, await server.token(filled.home.credential));
    await objectsHold(server, filled.home, filled.secrets.objects);
    const repository = await repositoryOf(server, filled.home.credential, filled.image.name);
    for (const tag of ["v1", "latest"]) assert.equal(await tagDigest(repository, tag), filled.image.digest);
    await signsIn(server, filled.secrets, "recovery code");
    await server.stop();
    for (const check of [["audit", "verify"], ["scrub"]]) {
      const { code, stdout, stderr } = await mooring([...check, "--data-dir", dataDir]);
      assert.equal(code, 0, `${check.join(" ")}: ${stdout}${stderr}`);
    }
  } finally {
    await server.dispose();
  }
});
