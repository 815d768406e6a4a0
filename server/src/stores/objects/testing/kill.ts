import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { systemClock } from "#kernel/time.ts";
import { makeThings, named, readThing, storedIds, THINGS } from "./suite/harness.ts";
import { layoutOf } from "../layout.ts";
import { openS3, type S3Options } from "../s3/index.ts";
import { uploadsUnderWay } from "../s3/testing.ts";
import { contentOf, openTestObjects, testSettings, type OpenObjects, type TestClock } from "./store.ts";

export const KILL_WRITERS = 6;
/** Short, so that the collector runs between all other steps. */
export const KILL_SETTINGS = testSettings({ graceMs: 300 });
const KILL_MS_MAX = 400;
const START_MS_MAX = 30_000;

/** The system's clock with the methods of a test clock. */
export function realClock(): TestClock {
  let aheadMs = 0;
  return { nowMs: () => systemClock.nowMs() + aheadMs, advance: (ms) => void (aheadMs += ms) };
}

/** Sizes on both sides of the limits of inline content and of one gathered write. */
const SIZES = [100, 32_768, 32_769, 50_000, 200_000, 1_500_000];

/** Returns the content for a name (`run-writer-n`), the same in both processes. */
export function killContent(name: string): Buffer {
  const [run = 0, writer = 0, n = 0] = name.split("-").map(Number);
  const plain = contentOf(run * 1_000_003 + writer * 1009 + n, nthSize(writer + n));
  return isOfParts(n) ? Buffer.concat([plain, plain.subarray(10, 20)]) : plain;
}

export function isOfParts(n: number): boolean {
  return n % 5 === 4;
}

function nthSize(i: number): number {
  return SIZES[i % SIZES.length] ?? 0;
}

/** The place of the records and the bytes; by default the data directory. */
export interface KillPlace {
  readonly dataDir: string;
  readonly url?: string;
  readonly s3?: S3Options;
}

export function openKillPlace({ dataDir, url, s3 }: KillPlace): Promise<OpenObjects> {
  return openTestObjects(dataDir, {
    clock: realClock(),
    settings: KILL_SETTINGS,
    ...(url === undefined ? {} : { url }),
    ...(s3 === undefined ? {} : { openDriver: (context) => openS3(s3, context) }),
  });
}

export interface Killed {
  /** Names that were acknowledged and not released afterwards. */
  readonly kept: Set<string>;
  /** Names whose release has begun: they may be there or not. */
  readonly ending: Set<string>;
}

/** Kills a store under load again and again at random moments. */
export async function killRounds(place: KillPlace, kills: number): Promise<Killed> {
  const first = await openKillPlace(place);
  await makeThings(first);
  await first.close();
  const killed: Killed = { kept: new Set(), ending: new Set() };
  for (let run = 0; run < kills; run++) {
    for (const line of await runAndKill(place, run)) {
      const name = line.slice(1);
      if (line.startsWith("+")) killed.kept.add(name);
      if (!line.startsWith("-")) continue;
      killed.kept.delete(name);
      killed.ending.add(name);
    }
  }
  return killed;
}

/** Runs the child until a random moment after its first acknowledgement. Returns the lines that it printed. */
async function runAndKill({ dataDir, ...place }: KillPlace, run: number): Promise<string[]> {
  const script = fileURLToPath(new URL("./kill-child.ts", import.meta.url));
  // A file, not a pipe: the child never waits for its reader, and its output survives the kill.
  const printed = join(dataDir, `printed-${run}`);
  const output = await open(printed, "a");
  const words = [script, dataDir, String(run), JSON.stringify(place)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", output.fd, "inherit"] });
  const closed = once(child, "close");
  for (const deadline = performance.now() + START_MS_MAX; (await output.stat()).size === 0; await delay(5)) {
    assert.ok(performance.now() < deadline && child.exitCode === null, "the child did not begin");
  }
  await delay(Math.random() * KILL_MS_MAX);
  child.kill("SIGKILL");
  const [code, signal] = (await closed) as [number | null, string | null];
  await output.close();
  if (signal !== "SIGKILL") throw new Error(`the child ended by itself (${signal ?? `exit code ${code}`})`);
  return (await readFile(printed, "utf8")).split("\n").slice(0, -1);
}

/** Asserts that acknowledged content is complete, nothing else is linked, and nothing is left over after the collector ran. */
export async function assertKept(place: KillPlace, { kept, ending }: Killed, kills: number): Promise<void> {
  const store = await openKillPlace(place);
  try {
    assert.deepEqual(await named(store), [], "scrub before the collector ran");
    store.clock.advance(KILL_SETTINGS.graceMs + 1);
    await store.objects.collect();
    assert.deepEqual(await named(store), [], "scrub after the collector ran");
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(THINGS.table)}`.execute(store.metadata.read);
    const present = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      [...kept].filter((name) => !present.has(name)),
      [],
      "acknowledged content is missing",
    );
    const others = [...present].filter((name) => !kept.has(name) && !ending.has(name));
    // Committed writes that were not acknowledged yet may exist too: at most one for each writer and kill.
    assert.ok(others.length <= kills * KILL_WRITERS, `${others.length} blobs were never acknowledged`);
    for (const name of present)
      assert.ok((await readThing(store, name)).equals(killContent(name)), `${name} is incomplete`);
    await assertTidy(place, store);
  } finally {
    await store.close();
  }
}

async function assertTidy({ dataDir, s3 }: KillPlace, store: OpenObjects): Promise<void> {
  if (s3 === undefined) assert.deepEqual(await readdir(layoutOf(dataDir).tmp), []);
  else assert.deepEqual(await uploadsUnderWay(s3), []);
  const rows = await store.metadata.read.selectFrom("blob").select(["id", "place", "state"]).execute();
  assert.deepEqual(
    rows.filter(({ state }) => state !== "live"),
    [],
  );
  const stored = rows.filter(({ place }) => place === "driver").map(({ id }) => id);
  assert.deepEqual(await storedIds(store), stored.toSorted());
}
