import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Tables } from "./hot/tables.ts";
import { parquetRange, type Layout } from "./layout.ts";
import { syncDirectory } from "./log/segment.ts";
import type { Manifest } from "./manifest.ts";
import { parquetFile } from "./parquet-file.ts";
import type { TelemetryLog } from "./settings.ts";

/** Makes the folders, durably, and empties those that are a cache. */
export async function prepareFolders(layout: Layout): Promise<void> {
  for (const cache of [layout.hot, layout.work]) await rm(cache, { recursive: true, force: true });
  for (const dir of [layout.wal, layout.hot, layout.parquet, layout.work, layout.quarantine]) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  }
  await syncDirectory(layout.root);
  await syncDirectory(dirname(layout.root));
}

/** Takes the Parquet files and the progress of each table from the manifest. Returns the highest batch that is in Parquet. */
export async function restoreTables(layout: Layout, manifest: Manifest, tables: Tables): Promise<number> {
  let lastSeq = 0;
  for (const { orgId, type, manifest: table } of (await manifest.load()).values()) {
    const parquet = table.files.map((file) =>
      parquetFile(layout, file, (failed, error) => tables.deleteFailed(failed, error)),
    );
    tables.restore(orgId, type, table.compactedSeq, parquet);
    lastSeq = Math.max(lastSeq, table.compactedSeq);
  }
  return lastSeq;
}

/**
 * Removes Parquet files that were made but never committed: their batches are still in the log, which begins with
 * `logFirstSeq`; undefined when it is empty. A file that the manifest does not know and the log can't replace is the sign of
 * a wrong or older database: it is kept aside. Returns the highest batch that any file was made from: numbers must not be
 * given again, since the right database would take them for batches that it has.
 */
export async function sweepParquet(
  layout: Layout,
  manifest: Manifest,
  logFirstSeq: number | undefined,
  log: TelemetryLog,
): Promise<number> {
  const known = await manifest.paths();
  const found = (await readdir(layout.parquet, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const lastSeqs = [...found.map(({ name }) => name), ...(await readdir(layout.quarantine))].map(
    (name) => parquetRange(name)?.lastSeq ?? 0,
  );
  for (const entry of found) {
    const path = join(entry.parentPath, entry.name);
    const range = parquetRange(basename(path));
    if (known.delete(path.slice(layout.root.length + 1))) continue;
    if (range !== undefined && logFirstSeq !== undefined && range.firstSeq >= logFirstSeq) {
      await rm(path, { force: true });
      continue;
    }
    const kept = join(layout.quarantine, entry.name);
    await rename(path, kept);
    log.error(
      { path, kept },
      "a parquet file is not in the manifest, nor are its rows in the log: is this the right database?",
    );
  }
  for (const [path, state] of known) {
    if (state === "live") log.error({ path }, "a parquet file of the manifest is missing on disk");
  }
  return lastSeqs.reduce((highest, seq) => Math.max(highest, seq), 0);
}
