import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { readTextIfPresent, type KeptFile } from "#stores/directory/index.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { layoutOf, segmentFirstSeq } from "./layout.ts";

/**
 * Lists the files of a telemetry directory that a copied set of records needs: the Parquet files that it names, and the
 * log, which has all other batches. The caller must have stopped deletions before it copied the records.
 */
export async function* telemetryFiles(dataDir: string, records: Reader): AsyncGenerator<KeptFile> {
  const layout = layoutOf(dataDir);
  const storeId = await readTextIfPresent(layout.storeId);
  if (storeId === undefined) return;
  const at = (path: string): string => relative(dataDir, path);
  yield { path: at(layout.storeId), how: "copy", size: null, sha256: null };
  for (const { path, bytes: size } of await parquetOf(records, storeId.trim()))
    yield { path: at(join(layout.root, path)), how: "link", size, sha256: null };
  const names = ((await readdir(layout.wal).catch(ignoreAbsent)) ?? []).filter(
    (name) => segmentFirstSeq(name) !== undefined,
  );
  const last = names.toSorted().at(-1);
  // Copies the last segment, because it may still be written: a linked file would grow with it.
  for (const name of names.toSorted())
    yield { path: at(join(layout.wal, name)), how: name === last ? "copy" : "link", size: null, sha256: null };
  const aside = await readdir(layout.quarantine, { recursive: true, withFileTypes: true }).catch(ignoreAbsent);
  for (const entry of aside ?? [])
    if (entry.isFile()) yield { path: at(join(entry.parentPath, entry.name)), how: "copy", size: null, sha256: null };
}

function parquetOf(records: Reader, storeId: string): Promise<{ path: string; bytes: number }[]> {
  const live = records.selectFrom("telemetry_file").select(["path", "bytes"]).where("store_id", "=", storeId);
  return live.where("dropped_at", "is", null).orderBy("path").execute();
}

function ignoreAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
