import { readdir } from "node:fs/promises";
import { isId, newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";
import { readTextIfPresent, writeFileDurably } from "#stores/directory/index.ts";
import type { Layout } from "./layout.ts";

/**
 * Returns the identifier of a telemetry directory. The metadata store has the directory's rows under this identifier. The
 * first start creates it durably. It moves with the directory and is in its backups. The caller must hold the directory's
 * lock.
 * @throws Error when the file is damaged, or when it is missing but the directory has telemetry. A new identifier would hide
 * that telemetry.
 */
export async function readStoreId(layout: Layout, clock: Clock): Promise<string> {
  const kept = await readTextIfPresent(layout.storeId);
  if (kept === undefined) return makeStoreId(layout, clock);
  const id = kept.trim();
  if (isId("store", id)) return id;
  throw new Error(`cannot open the telemetry directory: ${layout.storeId} is damaged; restore it from a backup`);
}

async function makeStoreId(layout: Layout, clock: Clock): Promise<string> {
  for (const dir of [layout.wal, layout.parquet]) {
    if (((await readdir(dir).catch(absent)) ?? []).length === 0) continue;
    const cause = `${layout.storeId} is missing, but the directory has telemetry`;
    throw new Error(`cannot open the telemetry directory: ${cause}; restore the file from a backup`);
  }
  const id = newId("store", clock.nowMs());
  await writeFileDurably(layout.storeId, `${id}\n`);
  return id;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
  return undefined;
}
