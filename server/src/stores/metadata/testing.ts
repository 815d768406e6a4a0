import { constants, rmSync } from "node:fs";
import { copyFile, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#kernel/time.ts";
import { openMetadata, type MetadataOptions } from "./open.ts";
import { RECORDS_FILE } from "./sqlite/snapshot.ts";
import type { MetadataStore } from "./types.ts";

export { ROWS } from "./testing/suite/rows.ts";

let empty: Promise<string> | undefined;

/**
 * Opens a store for a test that is not about migrations. A new SQLite database is a copy of a migrated one, which takes
 * a third of the time.
 */
export async function openTestMetadata(options: MetadataOptions): Promise<MetadataStore> {
  if (options.url === undefined) await beginMigrated(options.dataDir);
  return openMetadata(options);
}

/** Copies an empty, migrated SQLite database into a data directory, unless it has one. */
export async function beginMigrated(dataDir: string): Promise<void> {
  empty ??= makeEmpty();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await copyUnlessThere(await empty, join(dataDir, RECORDS_FILE));
}

/** @returns the path of an empty, migrated database */
async function makeEmpty(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), "mooring-empty-"));
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true }));
  const store = await openMetadata({ url: undefined, dataDir, clock: systemClock });
  await store.close();
  return join(dataDir, RECORDS_FILE);
}

async function copyUnlessThere(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}
