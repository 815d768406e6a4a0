/** From the previous version to this one with its data, and back: by a start when the schema is the same, else by the backup. */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { DATABASES, type DatabaseKind } from "../fixtures/databases.ts";
import { checkOutPrevious, previousMissing } from "../fixtures/previous-version.ts";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { unique } from "../fixtures/registry.ts";
import { sharedPostgres } from "../fixtures/shared-postgres.ts";
import { serveWords, startServer, type Bootstrap, type Server } from "../fixtures/server.ts";
import { completesHalf, fill, holds, type Filled } from "./every-interface.ts";

const missing = previousMissing();
const folder = mkdtempSync(join(tmpdir(), "mooring-upgrade-"));
let previous: string;

before(() => {
  if (missing === false) previous = checkOutPrevious(join(folder, "previous"));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs on one data directory, under either version. */
interface Place {
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string>>;
}

const run = (words: readonly string[], { dataDir, environment }: Place, program?: string): Promise<Outcome> =>
  mooring([...words, "--data-dir", dataDir], { environment, ...(program === undefined ? {} : { program }) });

async function done(outcome: Promise<Outcome>): Promise<string> {
  const { code, stdout, stderr } = await outcome;
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

/** The database is in the environment; without one it is SQLite. */
const start = ({ dataDir, environment }: Place, program?: string): Promise<Server> =>
  startServer({ dataDir, environment, database: "sqlite", ...(program === undefined ? {} : { program }) });

async function stopped(server: Server): Promise<void> {
  assert.deepEqual(await server.stop(), { code: 0, signal: null }, server.stderr().slice(-2000));
}

/** Without the migrations of this version, which the template of other tests has. */
async function emptyDatabase(kind: DatabaseKind): Promise<Readonly<Record<string, string>>> {
  if (kind === "sqlite") return {};
  const server = await sharedPostgres();
  return { MOORING_DATABASE_URL: await server.createDatabase(unique("upgrade_")) };
}

/** Starts the previous version on a new directory, fills it, and stops it. */
async function filledByPrevious(place: Place): Promise<Filled> {
  const server = await start(place, previous);
  try {
    const words = ["bootstrap", "--org", "acme", "--project", "shop", "--app", "checkout", "--json"];
    const home = JSON.parse(await done(run(words, place, previous))) as Bootstrap;
    const filled = await fill(server, home);
    await holds(server, filled);
    await stopped(server);
    return filled;
  } finally {
    await server.dispose();
  }
}

for (const { kind, skip } of DATABASES) {
  describe(`on ${kind}`, { skip: missing === false ? skip : missing }, () => {
    let place: Place;
    let filled: Filled;
    let pending: readonly string[];
    /** PostgreSQL has its own tools for backups. */
    const onSqlite = (name: string, work: () => Promise<void>): void => {
      if (kind === "sqlite") test(name, work);
    };
    const backups = join(folder, `backups-${kind}`);

    before(async () => {
      const dataDir = mkdtempSync(join(folder, `${kind}-`));
      place = { dataDir, environment: await emptyDatabase(kind) };
      filled = await filledByPrevious(place);
    });

    test("before the upgrade, the doctor of both versions finds no fault except that the records are older", async () => {
      await done(run(["doctor"], place, previous));
      ({ pending } = JSON.parse(await done(run(["upgrade", "--dry-run", "--json"], place))) as { pending: string[] });
      const found = await run(["doctor"], place);
      if (pending.length === 0) assert.equal(found.code, 0, found.stdout);
      else assert.match(found.stdout, /^fail +\S.*older version of Mooring.*mooring upgrade/ms);
    });

    onSqlite("a backup by the previous version", async () => {
      await done(run(["backup", "--to", backups], place, previous));
      assert.equal(readdirSync(backups).length, 1);
    });

    test("mooring upgrade, and this version has all of it, and continues an upload", async () => {
      assert.match(await done(run(["upgrade"], place)), pending.length === 0 ? /^nothing to do/ : /^applied \d{4}-/);
      const server = await start(place);
      try {
        await holds(server, filled);
        await completesHalf(server, filled);
        await done(run(["doctor"], place));
        await stopped(server);
      } finally {
        await server.dispose();
      }
    });

    test("doctor, scrub and audit verify find no fault after the upgrade", async () => {
      await done(run(["doctor"], place));
      await done(run(["scrub"], place));
      await done(run(["audit", "verify"], place));
    });

    test("the previous version starts again if the schema is the same, and else refuses in one sentence", async () => {
      if (pending.length === 0) {
        const server = await start(place, previous);
        try {
          await holds(server, filled);
          await stopped(server);
        } finally {
          await server.dispose();
        }
        return;
      }
      const words = serveWords(place.dataDir, {}, previous);
      const refused = await mooring(words, { environment: place.environment, program: previous });
      assert.equal(refused.code, 1, refused.stdout);
      assert.match(refused.stderr, /a newer version of Mooring.*start that version, or restore a backup/);
      await done(run(["upgrade"], place));
    });

    onSqlite("the previous version continues from the backup", async () => {
      const [name = ""] = readdirSync(backups);
      const restored: Place = { dataDir: join(folder, "restored"), environment: {} };
      await done(run(["restore", "--from", join(backups, name)], restored, previous));
      copyFileSync(join(place.dataDir, "master.key"), join(restored.dataDir, "master.key"));
      const server = await start(restored, previous);
      try {
        await holds(server, filled);
        await stopped(server);
      } finally {
        await server.dispose();
      }
    });
  });
}
