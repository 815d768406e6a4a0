import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Batch } from "../types.ts";
import { layoutOf } from "../layout.ts";
import { batchOf } from "./rows.ts";
import { openTestStore, readMessages, recordingLog, type OpenStore } from "./store.ts";

export const KILL_WRITERS = 8;
export const KILL_ORGANIZATIONS = ["org_even", "org_odd"] as const;
/** The events that the child prints in addition to batches. Some kills should hit each of them. */
export const KILL_EVENTS = ["compacted telemetry", "merged telemetry files"];

const DAYS = ["2026-11-20", "2026-11-19", "2024-02-29"];

/** Returns from 1 to 60 rows, different for each batch and known to both processes. */
export function batchRows(writer: number, n: number): number {
  return 1 + ((writer * 31 + n * 7) % 60);
}

/** Returns a batch whose rows name it: `name/0`, `name/1`, … They are of several days, in no order. */
export function killBatch(name: string, rows: number): Batch {
  const entries = Array.from({ length: rows }, (_, i) => {
    const second = String((i * 37) % 60).padStart(2, "0");
    return { timestamp: `${DAYS[i % DAYS.length]}T08:00:${second}.000000Z`, level: "info", message: `${name}/${i}` };
  });
  return batchOf("logs", entries, KILL_ORGANIZATIONS[name.length % 2] ?? "org_even");
}

export interface Killed {
  /** Names of the batches that were acknowledged. */
  readonly acknowledged: string[];
  /** The number of times of each of `KILL_EVENTS`. */
  readonly events: Map<string, number>;
}

/**
 * The moment that starts the timer of a kill: the first batch without compaction, the first batch with it, or the first
 * compaction or merge.
 */
const PHASES = ["plain", "batch", ...KILL_EVENTS] as const;

/** Kills a store under load again and again at random moments. */
export async function killRounds(dataDir: string, kills: number): Promise<Killed> {
  const killed: Killed = { acknowledged: [], events: new Map() };
  for (let run = 0; run < kills; run++) {
    for (const line of await runAndKill(dataDir, run, PHASES[run % PHASES.length] ?? "plain")) {
      if (!line.startsWith("#")) killed.acknowledged.push(line);
      else killed.events.set(line.slice(1), 1 + (killed.events.get(line.slice(1)) ?? 0));
    }
  }
  return killed;
}

/** Asserts that every acknowledged row exists once, that no batch is incomplete, and that the disk has the manifest's files. */
export async function assertKept(dataDir: string, { acknowledged }: Killed, kills: number): Promise<void> {
  const log = recordingLog();
  const store = await openTestStore(dataDir, { log });
  const found = await countedRows(store);
  for (const [name, rows] of found) assert.equal(rows.size, expectedRows(name), `batch ${name} is there in part`);
  assert.deepEqual(
    acknowledged.filter((name) => !found.has(name)),
    [],
    "acknowledged batches are missing",
  );
  // Flushed batches without an answer may exist too: at most one for each writer and kill.
  assert.ok(found.size - acknowledged.length <= kills * KILL_WRITERS);
  await assertTidy(dataDir, store);
  assert.deepEqual(
    log.lines.filter(({ level }) => level === "error" || level === "warn"),
    [],
  );
  await store.close();
}

/** Asserts that the disk has exactly the files of the manifest. */
export async function assertTidy(dataDir: string, { metadata }: OpenStore): Promise<void> {
  const { parquet, replacing, work, quarantine } = layoutOf(dataDir);
  const onDisk = (await readdir(parquet, { recursive: true })).filter((name) => name.endsWith(".parquet"));
  const known = await metadata.read.selectFrom("telemetry_file").select(["path", "dropped_at"]).execute();
  assert.deepEqual(
    onDisk.map((name) => `parquet/${name}`).toSorted(),
    known
      .filter(({ dropped_at: at }) => at === null)
      .map(({ path }) => path)
      .toSorted(),
  );
  assert.equal(known.filter(({ dropped_at: at }) => at !== null).length, 0, "dropped files are forgotten");
  for (const dir of [replacing, work, quarantine]) assert.deepEqual(await readdir(dir), [], dir);
}

/** Returns the numbers of each batch's rows. Fails if a row is there twice. */
async function countedRows({ rows }: OpenStore): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for (const orgId of KILL_ORGANIZATIONS) {
    for (const message of await readMessages(rows, orgId)) {
      const [name = "", number = ""] = message.split("/");
      const numbers = found.get(name) ?? new Set();
      assert.ok(!numbers.has(number), `${message} is there twice`);
      found.set(name, numbers.add(number));
    }
  }
  return found;
}

function expectedRows(name: string): number {
  const [, writer, n] = name.split("-").map(Number);
  assert.ok(writer !== undefined && n !== undefined);
  return batchRows(writer, n);
}

const KILL_MS_MAX = 400;
const PHASE_MS_MAX = 60_000;

/** Runs the child until a random moment of a phase, which is `plain`, `batch` or an event. Returns the lines that it printed. */
export async function runAndKill(
  dataDir: string,
  run: number,
  phase: string,
  script = new URL("./kill-child.ts", import.meta.url),
): Promise<string[]> {
  const args = [fileURLToPath(script), dataDir, String(run), phase === "plain" ? "plain" : "busy"];
  // A file, not a pipe: the child never waits for its reader, and its output survives the kill.
  const printed = join(dataDir, `acknowledged-${run}`);
  const output = await open(printed, "a");
  const child = spawn(process.execPath, args, { stdio: ["ignore", output.fd, "inherit"] });
  const closed = once(child, "close");
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const isThere = async (): Promise<boolean> =>
    phase !== "plain" && phase !== "batch"
      ? (await readFile(printed, "utf8")).includes(`#${phase}\n`)
      : (await output.stat()).size > 0;
  try {
    for (const deadline = performance.now() + PHASE_MS_MAX; isRunning() && !(await isThere()); await delay(5))
      assert.ok(performance.now() < deadline, `no sign of: ${phase}`);
    await delay(Math.random() * KILL_MS_MAX);
  } finally {
    child.kill("SIGKILL");
    await closed;
    await output.close();
  }
  const [code, signal] = (await closed) as [number | null, string | null];
  if (signal !== "SIGKILL") throw new Error(`the child ended by itself (${signal ?? `exit code ${code}`})`);
  return (await readFile(printed, "utf8")).split("\n").slice(0, -1);
}
