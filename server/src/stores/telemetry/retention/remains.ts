import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Table } from "../hot/table.ts";
import { hotFileRange, parquetRange, type Layout } from "../layout.ts";

/**
 * Thrown while queries still read dropped files. The files are deleted when the last of these queries ends.
 */
export class StillThere extends Error {
  constructor(files: number) {
    super(`queries still read ${files} dropped files`);
  }
}

const POLL_MS = 50;
const WAIT_MS = 1000;

/**
 * Waits until the tables' folders have no files with rows up to batch `throughSeq`, except live ones.
 * @throws StillThere when some files stay too long
 */
export async function untilGone(layout: Layout, tables: readonly Table[], throughSeq: number): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    const counts = await Promise.all(tables.map((table) => remains(layout, table, throughSeq)));
    const files = counts.reduce((sum, count) => sum + count, 0);
    if (files === 0) return;
    if (waitedMs >= WAIT_MS) throw new StillThere(files);
    await delay(POLL_MS);
  }
}

async function remains(layout: Layout, { orgId, type, parquet }: Table, throughSeq: number): Promise<number> {
  const live = new Set(parquet.map(({ held }) => basename(held.path)));
  const isOld = (firstSeq: number | undefined): boolean => firstSeq !== undefined && firstSeq <= throughSeq;
  const hot = (await namesIn(join(layout.hot, orgId, type))).filter((name) => isOld(hotFileRange(name)?.firstSeq));
  const dropped = (await namesIn(join(layout.parquet, orgId, type))).filter(
    (name) => !live.has(name) && isOld(parquetRange(name)?.firstSeq),
  );
  return hot.length + dropped.length;
}

/** Lists quarantined files that may have rows of the organization. Their content is unknown. */
export async function quarantinedFiles(layout: Layout, orgId: string, types: readonly string[]): Promise<string[]> {
  const own = await Promise.all(
    types.map(async (type) => (await namesIn(join(layout.quarantine, orgId, type))).map((name) => `${type}/${name}`)),
  );
  const entries = await readdir(layout.quarantine, { withFileTypes: true });
  const unknown = entries.filter((entry) => entry.isFile()).map(({ name }) => `unknown/${name}`);
  return [...own.flat(), ...unknown].toSorted();
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
