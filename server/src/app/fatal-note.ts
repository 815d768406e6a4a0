import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Metrics } from "#kernel/metrics/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { FatalPart } from "./fatal.ts";

/** Says why the server ended by itself. The operator deletes it when the cause is found. */
interface FatalNote {
  readonly part: FatalPart;
  readonly at: string;
}

const NAME = "last-fatal.json";

/** Writes the note at once, because the process is about to end. A disk that takes no writes must not prevent the end. */
export function writeFatalNote(dataDir: string, part: FatalPart, nowMs: number): void {
  const note: FatalNote = { part, at: isoFromMs(nowMs) };
  try {
    writeFileSync(join(dataDir, NAME), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch {
    rmSync(join(dataDir, NAME), { force: true });
  }
}

/** Lets each scrape read the note. */
export function readFatalNote(metrics: Metrics, dataDir: string): void {
  metrics.read("mooring_fatal_exit_timestamp_seconds", () => {
    const { part, at } = JSON.parse(readFileSync(join(dataDir, NAME), "utf8")) as FatalNote;
    return [[{ part }, Date.parse(at) / 1000] as const];
  });
}
