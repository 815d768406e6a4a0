import { readdir } from "node:fs/promises";
import type { Metrics } from "#kernel/metrics/index.ts";
import type { Merger } from "./compaction/merger.ts";
import { layoutOf } from "./layout.ts";
import type { WriteAheadLog } from "./log/log.ts";
import type { Tables } from "./hot/tables.ts";
import type { TelemetryHealth } from "./types.ts";

interface Examined {
  readonly wal: Pick<WriteAheadLog, "failure" | "waitingBytes">;
  readonly tables: Pick<Tables, "all">;
  readonly merger: Pick<Merger, "mergedBytes" | "merges">;
}

export function healthOf(
  { wal, tables, merger }: Examined,
  logIsFull: boolean,
): Omit<TelemetryHealth, "queriesRunning" | "queriesWaiting" | "spool"> {
  const full = { reason: "overloaded", detail: "the log is full: compaction can't keep up" } as const;
  const refusal = wal.failure ?? (logIsFull ? full : undefined);
  let hotRows = 0;
  let logBytes = 0;
  let parquetFiles = 0;
  let parquetBytes = 0;
  for (const table of tables.all()) {
    hotRows += table.hotRows;
    logBytes += table.hotBytes;
    parquetFiles += table.parquet.length;
    parquetBytes += table.parquetBytes;
  }
  const { merges, mergedBytes } = merger;
  const figures = { logBytes, hotRows, parquetFiles, parquetBytes, merges, mergedBytes };
  const { detail = "ready", reason = null } = refusal ?? {};
  return { ok: refusal === undefined, detail, reason, ...figures, waitingBytes: wal.waitingBytes };
}

/** Counts the ends of compactions and merges. */
export function countRuns(metrics: Metrics | undefined): <T>(work: "compact" | "merge", run: Promise<T>) => Promise<T> {
  const runs = metrics?.counter("mooring_compaction_runs_total");
  return async (work, run) => {
    try {
      const made = await run;
      runs?.inc({ work, result: "done" });
      return made;
    } catch (error) {
      runs?.inc({ work, result: "failed" });
      throw error;
    }
  };
}

/** Counts files that could not be read or compacted. A person must examine them. */
export async function countQuarantined(dataDir: string): Promise<number> {
  const entries = await readdir(layoutOf(dataDir).quarantine, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
