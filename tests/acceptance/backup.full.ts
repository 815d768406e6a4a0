/** Backups under load: writes acknowledged before a backup began exist after its restore elsewhere. */
import assert from "node:assert/strict";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { backUp, restoreBackup } from "../fixtures/backups.ts";
import { fetched, downloadUrl, uploaded } from "../fixtures/files.ts";
import { newLedger, NUMBER_OF, startWriters, type Ledger, type Writers } from "../fixtures/load.ts";
import { eventually, launch, mooring, type Outcome } from "../fixtures/process.ts";
import { repositoryOf, unique, type RepositoryClient } from "../fixtures/registry.ts";
import { startServer, writeLog, type Bootstrap, type Server } from "../fixtures/server.ts";
import { rows, TYPES, type TelemetryType } from "../fixtures/telemetry.ts";

const ROUNDS = 5;
/** The number of queries that read the numbers back. */
const PARTS = 8;
/** Deletions run all the time. */
const SETTINGS = {
  compaction_rows_bytes: 65_536,
  compaction_interval_ms: 300,
  object_grace_ms: 1000,
  object_collect_ms: 100,
  registry_collect_ms: 200,
  registry_lease_ms: 5000,
  rate_limit_per_second: 100_000,
  rate_limit_burst: 100_000,
};

/** Data that exists and must not be lost. */
interface Kept {
  readonly telemetry: Ledger;
  readonly files: Map<string, string>;
  /** Digests of manifests by their tag, with their layers. */
  readonly images: Map<string, { readonly digest: string; readonly layer: string }>;
}

let directory: string;

before(() => {
  directory = mkdtempSync(join(tmpdir(), "mooring-backup-load-"));
});

after(() => rmSync(directory, { recursive: true, force: true }));

test(
  "a backup of a server under load, restored elsewhere, has everything that was acknowledged before",
  { timeout: 900_000 },
  async (context) => {
    const [dataDir, to] = [join(directory, "data"), join(directory, "backups")];
    const server = await startServer({ dataDir, settings: SETTINGS, database: "sqlite" });
    try {
      const home = await server.bootstrap();
      const load = await startLoad(server, home);
      for (let round = 0; round < ROUNDS; round++) {
        await delay(1500);
        const before = copyOf(load.kept);
        await backUp(to, dataDir);
        await restoredHas(to, dataDir, home, before);
        context.diagnostic(
          `round ${round}: ${before.telemetry.acknowledged.logs.size} logs, ${before.files.size} files, ${before.images.size} images`,
        );
      }
      await load.stop();
      assert.ok(load.deleted() > 0, "something must have been deleted meanwhile");
    } catch (error) {
      writeLog(server);
      throw error;
    } finally {
      await server.dispose();
    }
  },
);

test("a killed backup or prune leaves only garbage, and delays nothing", { timeout: 300_000 }, async () => {
  const [dataDir, to] = [join(directory, "killed"), join(directory, "killed-backups")];
  const server = await startServer({ dataDir, settings: SETTINGS, database: "sqlite" });
  try {
    const { credential } = await server.bootstrap();
    const token = await server.token(credential);
    const first = await backUp(to, dataDir);
    for (let round = 0; round < 8; round++) {
      for (let n = 0; n < 50; n++) await uploaded(server, token, {}, randomBytes(40_000));
      const words =
        round % 2 === 0 ? ["backup"] : ["backup", "prune", "--backup-keep", "1", "--backup-keep-hourly", "1"];
      const running = launch([...words, "--to", to, "--data-dir", dataDir]);
      await eventually("it to begin", () => (existing(join(to, "locks")).length > 0 ? true : null), 20_000).catch(
        () => undefined,
      );
      await delay(Math.random() * 60);
      running.child.kill("SIGKILL");
      await running.exited;
      const verified = await mooring(["backup", "verify", "--to", to, "--data-dir", dataDir]);
      assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    }
    const last = await backUp(to, dataDir);
    assert.notEqual(last, first);
    const pruned = await mooring(["backup", "prune", "--to", to, "--data-dir", dataDir]);
    assert.equal(pruned.code, 0, pruned.stderr);
    await restoreBackup(to, dataDir, join(directory, "after-kills"));
    wasClean(await mooring(["scrub", "--data-dir", join(directory, "after-kills")]), ["scrub"]);
  } finally {
    await server.dispose();
  }
});

function existing(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function copyOf({ telemetry, files, images }: Kept): Kept {
  const { logs, metrics, traces } = telemetry.acknowledged;
  const acknowledged = { logs: new Set(logs), metrics: new Set(metrics), traces: new Set(traces) };
  return { telemetry: { acknowledged, open: [] }, files: new Map(files), images: new Map(images) };
}

interface Load {
  readonly kept: Kept;
  deleted(): number;
  /** Rejects with the error of the load. */
  stop(): Promise<void>;
}

/** Sends telemetry, uploads and deletes files, and pushes and deletes images, until it is stopped. */
async function startLoad(server: Server, home: Bootstrap): Promise<Load> {
  const { origin } = server;
  const token = await server.token(home.credential);
  // With a new token each time, because the registry's tokens live for minutes and a slow machine's load takes longer.
  const repository = (): Promise<RepositoryClient> =>
    repositoryOf(server, home.credential, `orgs/${home.org.slug}/${home.app.slug}`);
  const kept: Kept = { telemetry: newLedger(), files: new Map(), images: new Map() };
  let n = 0;
  let deleted = 0;
  let stopped = false;
  const writers: Writers = startWriters({ origin, token }, kept.telemetry, {
    writers: 4,
    next: () => n++,
    key: randomUUID,
  });
  const repeated = async (work: () => Promise<unknown>): Promise<void> => {
    while (!stopped) await work();
  };
  const counted = async (work: Promise<void>): Promise<void> => {
    await work;
    deleted += 1;
  };
  const others = [
    repeated(() => keepFile(server, token, kept)),
    repeated(() => counted(passingFile(server, token))),
    repeated(async () => keepImage(await repository(), kept)),
    repeated(async () => counted(passingImage(await repository()))),
  ];
  const ended = Promise.all([writers.ended, ...others]);
  // The load also fails when the server ends after another error, which must not be hidden.
  ended.catch(() => undefined);
  return {
    kept,
    deleted: () => deleted,
    stop: async () => {
      stopped = true;
      writers.stop();
      await ended;
    },
  };
}

async function keepFile(server: Server, token: string, kept: Kept): Promise<void> {
  const content = randomBytes([100, 40_000, 300_000][Math.floor(Math.random() * 3)] ?? 1);
  const { id } = await uploaded(server, token, {}, content);
  kept.files.set(id, createHash("sha256").update(content).digest("hex"));
  await delay(20);
}

async function passingFile(server: Server, token: string): Promise<void> {
  const { id } = await uploaded(server, token, {}, randomBytes(50_000));
  const answer = await server.call("DELETE", `/v1/files/${id}`, { token });
  assert.equal(answer.status, 204, answer.text);
}

async function keepImage(repository: RepositoryClient, kept: Kept): Promise<void> {
  const [tag, layer] = [unique(), randomBytes(60_000)];
  const digest = await pushed(repository, layer, tag);
  if (digest === undefined) return;
  kept.images.set(tag, { digest, layer: `sha256:${createHash("sha256").update(layer).digest("hex")}` });
  await delay(50);
}

/** Undefined if a slow machine took longer than the few seconds of a blob's lease here before its manifest. */
async function pushed(repository: RepositoryClient, layer: Buffer, tag?: string): Promise<string | undefined> {
  const options = { config: JSON.stringify({ tag: tag ?? unique() }), ...(tag === undefined ? {} : { tag }) };
  return repository.image([layer], options).catch((error: Error) => {
    if (!error.message.includes("MANIFEST_BLOB_UNKNOWN")) throw error;
    return undefined;
  });
}

async function passingImage(repository: RepositoryClient): Promise<void> {
  const digest = await pushed(repository, randomBytes(60_000));
  if (digest === undefined) return;
  const answer = await repository.call("DELETE", `manifests/${digest}`);
  assert.equal(answer.status, 202);
}

/** Restores into a new directory, adds the key, and compares. */
async function restoredHas(backup: string, dataDir: string, home: Bootstrap, kept: Kept): Promise<void> {
  const target = join(directory, `restored-${unique()}`);
  await restoreBackup(backup, dataDir, target);
  const server = await startServer({ dataDir: target, database: "sqlite" });
  try {
    const token = await server.token(home.credential);
    await telemetryIsThere(server, token, kept.telemetry);
    for (const [id, digest] of kept.files) {
      const { status, bytes } = await fetched(await downloadUrl(server, token, id));
      assert.equal(status, 200);
      assert.equal(createHash("sha256").update(bytes).digest("hex"), digest, id);
    }
    const repository = await repositoryOf(server, home.credential, `orgs/${home.org.slug}/${home.app.slug}`);
    for (const [tag, image] of kept.images) {
      const manifest = await repository.call("GET", `manifests/${tag}`);
      assert.equal(manifest.headers["docker-content-digest"], image.digest);
      const layer = await repository.call("GET", `blobs/${image.layer}`);
      assert.equal(`sha256:${createHash("sha256").update(layer.content).digest("hex")}`, image.layer);
    }
    assert.doesNotMatch(server.stderr(), /"level":"(error|warn)".*(missing|quarantine|damaged)/);
    for (const words of [["scrub"], ["registry", "fsck"], ["audit", "verify"]])
      wasClean(await mooring([...words, "--data-dir", target]), words);
  } finally {
    await server.dispose();
    rmSync(target, { recursive: true, force: true });
  }
}

function wasClean(outcome: Outcome, words: readonly string[]): void {
  assert.equal(outcome.code, 0, `${words.join(" ")}: ${outcome.stdout}\n${outcome.stderr}`);
}

async function telemetryIsThere(server: Server, token: string, { acknowledged }: Ledger): Promise<void> {
  for (const type of TYPES) {
    const found = await numbersOf(server, token, type);
    const there = new Set(found);
    assert.equal(there.size, found.length, `${type}: something is there more than once`);
    const lost = [...acknowledged[type]].filter((n) => !there.has(n));
    assert.deepEqual(lost.slice(0, 20), [], `${type}: ${lost.length} of ${acknowledged[type].size} are lost`);
  }
}

/** One answer has at most a million rows, and a fast machine writes more. */
async function numbersOf(server: Server, token: string, type: TelemetryType): Promise<number[]> {
  const numbers: number[] = [];
  for (let part = 0; part < PARTS; part++) {
    const sql = `select ${NUMBER_OF[type]} as n from ${type} where n % ${PARTS} = ${part}`;
    for (const { n } of await rows<{ n: number }>(server, token, sql)) numbers.push(n);
  }
  return numbers;
}
