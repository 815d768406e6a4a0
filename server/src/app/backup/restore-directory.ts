import { constants } from "node:fs";
import { copyFile, lstat, mkdir, open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import {
  DATA,
  listedFiles,
  readManifest,
  sha256Of,
  type DirectoryManifest,
  type ListedFile,
} from "./directory-manifest.ts";
import { fillDataDirectory } from "./restore.ts";

const MISTAKES_MAX = 20;

/**
 * Restores a backup of the form before repositories: a directory with `backup.json`. Copies each file and compares the
 * copy with the list. It makes no hard links, because later changes by a server must not reach the backup.
 * @throws Error when the backup is unfinished or incomplete, or the directory is not empty
 */
export async function restoreDirectory(
  from: string,
  dataDir: string,
  signal?: AbortSignal,
): Promise<DirectoryManifest> {
  const manifest = await readManifest(from);
  if (manifest === null)
    throw new Error(`cannot restore from ${from}: it has no backup.json, so it is not a backup, or was not finished`);
  await fillDataDirectory(dataDir, (to) => gather(from, manifest, to, signal));
  return manifest;
}

async function gather(
  from: string,
  manifest: DirectoryManifest,
  to: string,
  signal: AbortSignal | undefined,
): Promise<void> {
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
  if (mistakes.length > 0) throw new Error(`cannot restore: the backup is not complete:\n${mistakes.join("\n")}`);
  for (const directory of directories) await syncDirectory(directory);
}

/** Copies and checks one file. Returns its fault, or null. */
async function gatherFile(
  from: string,
  { path, size, sha256 }: ListedFile,
  to: string,
  directories: Set<string>,
): Promise<string | null> {
  const [source, target] = [join(from, path), join(to, path)];
  const found = await lstat(source).catch(() => null);
  if (found === null || !found.isFile()) return "is missing";
  if (found.size !== size) return `has ${found.size} bytes but should have ${size}`;
  for (let directory = dirname(target); !directories.has(directory); directory = resolve(directory, "..")) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    directories.add(directory);
  }
  await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  if ((await sha256Of(target)) !== sha256) return "was altered: its checksum differs";
  const handle = await open(target, "r+");
  try {
    await handle.chmod(0o600);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return null;
}
