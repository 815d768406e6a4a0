import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import { readReplacing } from "./compaction/publish.ts";
import type { Tables } from "./hot/tables.ts";
import { parquetRange, type Layout } from "./layout.ts";
import type { Manifest } from "./manifest.ts";
import type { TelemetryLog } from "./settings.ts";

export interface SweepOptions {
  readonly layout: Layout;
  readonly manifest: Manifest;
  /** The tables, restored from the manifest. */
  readonly tables: Tables;
  /** The range of batches in the log. Undefined when the log is empty. */
  readonly logged: { readonly firstSeq: number; readonly lastSeq: number } | undefined;
  readonly log: TelemetryLog;
}

type Known = Awaited<ReturnType<Manifest["paths"]>>;

/**
 * Compares the Parquet files on disk with the manifest, and deletes or quarantines files that do not belong. README.md,
 * "Parquet files at a start", has the cases. Returns the highest batch in any file. Its number must not be used again: if
 * the right database comes back, it would take a new batch with this number for the old one.
 */
export async function sweepParquet(options: SweepOptions): Promise<number> {
  const { layout, manifest } = options;
  const known = await manifest.paths();
  const present = await parquetFiles(layout);
  const seqs = [...present, ...(await readdir(layout.quarantine))].map(
    (path) => parquetRange(basename(path))?.lastSeq ?? 0,
  );
  // First the notes: they name dropped files, which `deleteDropped` removes from the manifest.
  await undoReplacing(options, known, present);
  await deleteDropped(options, known);
  for (const path of present) if (!known.has(path)) await removeUnknown(options, path);
  for (const [path, { state }] of known) {
    if (state === "live" && !present.has(path))
      options.log.error({ path }, "a parquet file of the manifest is missing on disk");
  }
  return seqs.reduce((highest, seq) => Math.max(highest, seq), 0);
}

/** Lists files by their path relative to the telemetry directory, as in the manifest. */
async function parquetFiles(layout: Layout): Promise<Set<string>> {
  const entries = await readdir(layout.parquet, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map((entry) => join(entry.parentPath, entry.name).slice(layout.root.length + 1)));
}

async function deleteDropped({ layout, manifest }: SweepOptions, known: Known): Promise<void> {
  const dropped = [...known].filter(([, { state }]) => state === "dropped");
  if (dropped.length === 0) return;
  const dirs = new Set<string>();
  for (const [path] of dropped) {
    await rm(join(layout.root, path), { force: true });
    dirs.add(dirname(join(layout.root, path)));
  }
  for (const dir of dirs) await syncDirectory(dir).catch(ignoreAbsent);
  await manifest.forget(dropped.map(([, { id }]) => id));
}

/**
 * Deletes new files of a replacement that was not committed, and removes them from `present`. Each old file must still
 * exist, or the manifest must have dropped it for another change: then this replacement can't have been committed.
 */
async function undoReplacing({ layout }: SweepOptions, known: Known, present: Set<string>): Promise<void> {
  for (const [note, { dropped, added }] of await readReplacing(layout)) {
    const undecided = added.filter((path) => present.has(path) && !known.has(path));
    const isUndone = dropped.every((path) => {
      const state = known.get(path)?.state;
      return state === "dropped" || (state === "live" && present.has(path));
    });
    // The files belong to another database. The note stays until that database is back.
    if (undecided.length > 0 && !isUndone) continue;
    for (const path of undecided) {
      await rm(join(layout.root, path), { force: true });
      present.delete(path);
    }
    await rm(note, { force: true });
  }
}

/**
 * A file that is not in the manifest was never committed if the log still has all its batches. It is deleted. Any other file
 * may have the only copy of its rows. It shows a wrong or older database, and goes to quarantine.
 */
async function removeUnknown({ layout, tables, logged, log }: SweepOptions, path: string): Promise<void> {
  const absolute = join(layout.root, path);
  const range = parquetRange(basename(path));
  const compactedSeq = tables.byName(path.split("/").slice(1, 3).join("/"))?.compactedSeq ?? 0;
  const isLogged =
    range !== undefined && logged !== undefined && range.firstSeq >= logged.firstSeq && range.lastSeq <= logged.lastSeq;
  if (isLogged && range.firstSeq > compactedSeq) {
    await rm(absolute, { force: true });
    return;
  }
  const kept = join(layout.quarantine, basename(path));
  await rename(absolute, kept);
  const message = "a parquet file is not in the manifest, and its rows are not in the log: is this the right database?";
  log.error({ path: absolute, kept }, message);
}

function ignoreAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
