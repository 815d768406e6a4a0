import { constants, existsSync } from "node:fs";
import { copyFile, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import { DATA, listedFiles, readManifest, sha256Of, type ListedFile, type Manifest } from "./manifest.ts";

/** Where a restore gathers what it has verified, within the new data directory. */
const GATHERED = ".restoring";
const MISTAKES_MAX = 20;

/**
 * Puts a backup into a new data directory. Every file is copied, and the copy compared with the list; nothing has its name before all of it is
 * right. Copies, no links: what a server does with them later must not reach the backup.
 * @throws Error when the backup is not finished or not whole, or the directory is not empty
 */
export async function restoreBackup(from: string, dataDir: string, signal?: AbortSignal): Promise<Manifest> {
  const manifest = await readManifest(from);
  if (manifest === null)
    throw new Error(
      `cannot restore from ${from}: it has no backup.json, so it is no backup, or one that was not finished`,
    );
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if ((await readdir(dataDir)).length > 0)
    throw new Error(`cannot restore into ${dataDir}: it is not empty; name a directory that is new or empty`);
  const gathered = join(dataDir, GATHERED);
  await mkdir(gathered, { mode: 0o700 });
  try {
    await gather(from, manifest, gathered, signal);
  } catch (error) {
    await rm(gathered, { recursive: true, force: true });
    throw error;
  }
  // The records last: without them a server would begin a new data directory, and it does not start while the directory
  // of the restore exists.
  for (const name of (await readdir(gathered)).toSorted(
    (a, b) => Number(a === "mooring.db") - Number(b === "mooring.db"),
  ))
    await rename(join(gathered, name), join(dataDir, name));
  await syncDirectory(dataDir);
  await rm(gathered, { recursive: true });
  await syncDirectory(dataDir);
  return manifest;
}

/**
 * The leftovers of an interrupted restore are no data directory.
 * @throws Error
 */
export function refuseHalfRestored(dataDir: string): void {
  if (existsSync(join(dataDir, GATHERED)))
    throw new Error(
      `cannot use the data directory ${dataDir}: a restore into it did not come to its end; empty it and restore again`,
    );
}

async function gather(from: string, manifest: Manifest, to: string, signal: AbortSignal | undefined): Promise<void> {
  const mistakes: string[] = [];
  const directories = new Set<string>([to]);
  let files = 0;
  for await (const file of listedFiles(from, manifest)) {
    signal?.throwIfAborted();
    files += 1;
    const mistake = await gatherFile(join(from, DATA), file, to, directories);
    if (mistake !== null && mistakes.push(`${file.path} ${mistake}`) >= MISTAKES_MAX) break;
  }
  if (mistakes.length === 0 && files !== manifest.files)
    mistakes.push(`the list has ${files} of ${manifest.files} files`);
  if (mistakes.length > 0) throw new Error(`cannot restore: the backup is not whole:\n${mistakes.join("\n")}`);
  for (const directory of directories) await syncDirectory(directory);
}

/** Null, or the fault of the file. */
async function gatherFile(
  from: string,
  { path, size, sha256 }: ListedFile,
  to: string,
  directories: Set<string>,
): Promise<string | null> {
  const [source, target] = [join(from, path), join(to, path)];
  const found = await lstat(source).catch(() => null);
  if (found === null || !found.isFile()) return "is missing";
  if (found.size !== size) return `has ${found.size} bytes and should have ${size}`;
  for (let directory = dirname(target); !directories.has(directory); directory = resolve(directory, "..")) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    directories.add(directory);
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  if ((await sha256Of(target)) !== sha256) return "was altered: its checksum is another";
  const handle = await open(target, "r+");
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return null;
}
