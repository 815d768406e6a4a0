import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import type { TelemetryType } from "./columns.ts";
import type { Tables } from "./hot/tables.ts";
import type { Layout } from "./layout.ts";
import type { Manifest } from "./manifest.ts";
import { parquetFile } from "./parquet-file.ts";

/** Creates the folders durably, and empties those that are caches. */
export async function prepareFolders(layout: Layout): Promise<void> {
  for (const cache of [layout.hot, layout.work]) await rm(cache, { recursive: true, force: true });
  for (const dir of [layout.wal, layout.hot, layout.parquet, layout.replacing, layout.work, layout.quarantine]) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  }
  await syncDirectory(layout.root);
  await syncDirectory(dirname(layout.root));
}

/**
 * Reads the Parquet files and the progress of each table from the manifest. Returns the highest batch that is in Parquet.
 */
/** Loads one table that has arrived after the start. */
export async function restoreTable(
  layout: Layout,
  manifest: Manifest,
  tables: Tables,
  { orgId, type }: { readonly orgId: string; readonly type: TelemetryType },
): Promise<void> {
  const { compactedSeq, files } = await manifest.loadTable(orgId, type);
  if (files.length === 0 || tables.byName(`${orgId}/${type}`) !== undefined) return;
  const failed = (path: string, error: unknown): void => tables.deleteFailed(path, error);
  tables.restore(
    orgId,
    type,
    compactedSeq,
    files.map((file) => parquetFile(layout, file, failed)),
  );
}

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
