import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import { RECORDS_FILE } from "#stores/metadata/index.ts";
import { backupFiles, fileContent, type OpenBackupFile, type Repository } from "#stores/repository/index.ts";
import type { Backup } from "./facts.ts";

/** A restore collects verified files here, within the new data directory. */
const GATHERED = ".restoring";

/** Collects the files of a data directory. @throws Error when one is missing or was altered */
type Gather = (to: string) => Promise<void>;

/**
 * Fills a new data directory. No file gets its final name before all are correct.
 * @throws Error when the directory is not empty, or a file was altered
 */
export async function fillDataDirectory(dataDir: string, gather: Gather): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if ((await readdir(dataDir)).length > 0)
    throw new Error(`cannot restore into ${dataDir}: it is not empty; name a directory that is new or empty`);
  const gathered = join(dataDir, GATHERED);
  await mkdir(gathered, { mode: 0o700 });
  try {
    await gather(gathered);
  } catch (error) {
    await rm(gathered, { recursive: true, force: true });
    throw error;
  }
  // Moves the records last, so that an incomplete directory never has records. A server refuses to start while the
  // directory of the restore exists.
  for (const name of (await readdir(gathered)).toSorted(
    (a, b) => Number(a === RECORDS_FILE) - Number(b === RECORDS_FILE),
  ))
    await rename(join(gathered, name), join(dataDir, name));
  await syncDirectory(dataDir);
  await rm(gathered, { recursive: true });
  await syncDirectory(dataDir);
}

/** Refuses a data directory with leftovers of an interrupted restore. @throws Error */
export function refuseHalfRestored(dataDir: string): void {
  if (existsSync(join(dataDir, GATHERED)))
    throw new Error(
      `cannot use the data directory ${dataDir}: a restore into it was interrupted; empty it and restore again`,
    );
}

export interface GatherOptions {
  /** Which files to restore; all when absent. */
  readonly wants?: (path: string) => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Writes files of a backup below a directory, durably. Every byte is compared. */
export async function gatherBackup(
  repository: Repository,
  backup: Backup,
  to: string,
  { wants = () => true, signal }: GatherOptions,
): Promise<void> {
  const directories = new Set<string>([to]);
  for await (const file of backupFiles(repository, backup)) {
    if (!isSafePath(file.path))
      throw new Error(`backup ${backup.name} names ${JSON.stringify(file.path)}, which is not a path of a backup`);
    if (!wants(file.path)) continue;
    signal?.throwIfAborted();
    await gatherFile(repository, file, to, directories);
  }
  for (const directory of directories) await syncDirectory(directory);
}

async function gatherFile(
  repository: Repository,
  file: OpenBackupFile,
  to: string,
  directories: Set<string>,
): Promise<void> {
  const target = join(to, file.path);
  for (let directory = dirname(target); !directories.has(directory); directory = resolve(directory, "..")) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    directories.add(directory);
  }
  const handle = await open(target, "wx", 0o600);
  try {
    for await (const chunk of fileContent(repository, file)) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether the path is one that a backup may contain. */
export function isSafePath(path: string): boolean {
  const parts = path.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\0"))) return false;
  return (
    [RECORDS_FILE, "master.key", "master.key.json"].includes(path) ||
    (["telemetry", "objects", "records"].includes(parts[0] ?? "") && parts.length > 1)
  );
}
