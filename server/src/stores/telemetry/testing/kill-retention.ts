import { trustedClock } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { Batch } from "../types.ts";
import { assertTidy, runAndKill } from "./kill.ts";
import { filesBelow, rowsOf } from "./retention.ts";
import { openTestStore, readMessages, readParquet, testSettings, type OpenStore } from "./store.ts";

/** Kills during retention and erasure: acknowledged rows that are neither past their retention nor erased exist once. */

export const RETENTION_ORG = "org_kept";
export const RETENTION_WRITERS = 6;
export const RETENTION_EVENTS = [
  "compacted telemetry",
  "merged telemetry files",
  "dropped telemetry past retention",
  "erased telemetry",
];

const NOW = Date.parse("2026-11-20T12:00:00Z");
/** The last day is past the retention of a year. */
const DAYS = ["2026-11-20", "2026-11-19", "2024-02-29"];
const KIB = 1024;
const ROWS_MIN = 4;

/** Starts at the same time in every process, so that the rows of a day always have the same age. */
export const retentionClock = trustedClock({ nowMs: () => NOW + Math.floor(performance.now()) });

/** Settings with which everything happens often. */
export function retentionSettings(checkEveryMs: number): ReturnType<typeof testSettings> {
  const settings = testSettings();
  return {
    ...settings,
    segmentBytes: 256 * KIB,
    hotFileBytes: 16 * KIB,
    hotMemoryBytes: 64 * KIB,
    compaction: { ...settings.compaction, hotBytes: 48 * KIB, checkEveryMs },
    merge: { ...settings.merge, fanIn: 3, checkEveryMs },
    retention: {
      ...settings.retention,
      days: { logs: 365, metrics: null, traces: null },
      checkEveryMs,
      policiesEveryMs: checkEveryMs === 0 ? 1000 : 50,
    },
  };
}

/** A batch's name has the run, the writer, the number, and the person of one of its rows: `3-1-17-2` has a row of `victim-3-2`. */
export const victimOf = (name: string): string => `victim-${name.replace(/^(\d+)-.*-(\d+)$/, "$1-$2")}.`;

function rowsIn(name: string): { readonly day: string; readonly message: string; readonly user: string }[] {
  const [, writer = 0, n = 0] = name.split("-").map(Number);
  return Array.from({ length: ROWS_MIN + ((writer * 31 + n * 7) % 60) }, (_, i) => ({
    day: DAYS[i % DAYS.length] ?? "",
    message: `${name}/${i}`,
    user: i === 0 ? victimOf(name) : "somebody",
  }));
}

export function retentionBatch(name: string): Batch {
  const entries = rowsIn(name).map(({ day, message, user }, i) => {
    const timestamp = `${day}T08:00:${String((i * 37) % 60).padStart(2, "0")}.000000Z`;
    return { timestamp, level: "info", message, attributes: { user } };
  });
  return rowsOf(RETENTION_ORG, "logs", entries);
}

export interface RetentionKilled {
  readonly acknowledged: string[];
  readonly events: Map<string, number>;
}

export async function killRetentionRounds(dataDir: string, kills: number): Promise<RetentionKilled> {
  const script = new URL("./kill-retention-child.ts", import.meta.url);
  const killed: RetentionKilled = { acknowledged: [], events: new Map() };
  for (let run = 0; run < kills; run++) {
    const phase = RETENTION_EVENTS[run % RETENTION_EVENTS.length] ?? "batch";
    for (const line of await runAndKill(dataDir, run, phase, script)) {
      if (!line.startsWith("#")) killed.acknowledged.push(line);
      else killed.events.set(line.slice(1), 1 + (killed.events.get(line.slice(1)) ?? 0));
    }
  }
  return killed;
}

/** Starts again to finish everything. Asserts that the rows are the acknowledged ones, without those to delete. */
export async function assertRetained(dataDir: string, killed: RetentionKilled, kills: number): Promise<void> {
  const store = await openTestStore(dataDir, { clock: retentionClock, settings: retentionSettings(0) });
  const asked = await erasures(store);
  for (let left = asked.size; left > 0; left = (await unfinished(store)).length) await store.rows.lifecycle.eraseDue();
  await store.rows.compact();
  await store.rows.lifecycle.dropPast();
  const found = new Map<string, Set<string>>();
  for (const message of await readMessages(store.rows, RETENTION_ORG)) {
    const name = message.replace(/\/.*$/, "");
    const messages = found.get(name) ?? new Set();
    assert.ok(!messages.has(message), `${message} is there twice`);
    found.set(name, messages.add(message));
  }
  for (const [name, messages] of found) assert.deepEqual([...messages].toSorted(), expected(name, asked));
  const missing = killed.acknowledged.filter((name) => !found.has(name));
  assert.deepEqual(missing, [], "acknowledged batches are missing");
  assert.ok(found.size - killed.acknowledged.length <= kills * RETENTION_WRITERS);
  for (const [victim, rowsErased] of await erasures(store)) {
    const had = [...found.keys()].filter((name) => victimOf(name) === victim).length;
    assert.equal(rowsErased, had, `rows erased of ${victim}`);
  }
  await store.close();
  const again = await openTestStore(dataDir, { clock: retentionClock, settings: retentionSettings(0) });
  await assertTidy(dataDir, again);
  const old = await again.metadata.read.selectFrom("telemetry_file").select("day").where("day", "<", "2025").execute();
  assert.deepEqual(old, [], "files past their retention");
  await again.close();
  const text = await textBelow(`${dataDir}/telemetry`);
  for (const victim of asked.keys()) assert.ok(!text.includes(victim), `something of ${victim} is left`);
}

/** Returns the rows of a batch that are visible at the end. */
function expected(name: string, asked: ReadonlyMap<string, number>): string[] {
  const rows = rowsIn(name).filter(({ day, user }) => day !== DAYS[2] && !asked.has(user));
  return rows.map(({ message }) => message).toSorted();
}

/** Returns the requested erasures with the number of erased rows. A digest replaces the name here. */
async function erasures({ metadata }: OpenStore): Promise<Map<string, number>> {
  const rows = await metadata.read
    .selectFrom("telemetry_erasure")
    .innerJoin("telemetry_erasure_part", "telemetry_erasure_part.erasure_id", "telemetry_erasure.id")
    .select(["match_digest", "rows_erased"])
    .execute();
  return new Map(rows.map((row) => [row.match_digest, row.rows_erased]));
}

async function unfinished({ metadata }: OpenStore): Promise<unknown[]> {
  return metadata.read.selectFrom("telemetry_erasure").select("id").where("finished_at", "is", null).execute();
}

/** Returns the text of all files below a directory, with the rows of Parquet files. */
async function textBelow(dir: string): Promise<string> {
  const [parquet, others] = [[] as { path: string }[], [] as string[]];
  for (const path of await filesBelow(dir))
    if (path.endsWith(".parquet")) parquet.push({ path });
    else others.push(await readFile(path, "latin1"));
  const rows = await Promise.all(parquet.map((file) => readParquet([file], "*")));
  return others.join("\n") + JSON.stringify(rows);
}
