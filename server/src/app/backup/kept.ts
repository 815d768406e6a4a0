import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isBackupName, readManifest, removeManifest, type Manifest } from "./manifest.ts";

/** A backup in the directory of backups; without a manifest it was not finished, or is in progress. */
export interface KeptBackup {
  readonly name: string;
  readonly manifest: Manifest | null;
}

const DELETING = ".deleting-";

/** Lists the backups, newest first. An absent directory has none. */
export async function keptBackups(directory: string): Promise<KeptBackup[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const kept: KeptBackup[] = [];
  for (const name of names.filter(isBackupName).toSorted().toReversed())
    kept.push({ name, manifest: await readManifest(join(directory, name)).catch(() => null) });
  return kept;
}

/**
 * Deletes a backup, its manifest first, so that an interrupted deletion leaves no valid backup. Returns false if there
 * is no backup of that name.
 */
export async function deleteBackup(directory: string, name: string): Promise<boolean> {
  if (!(await keptBackups(directory)).some((kept) => kept.name === name)) return false;
  await removeManifest(join(directory, name));
  const aside = join(directory, DELETING + name);
  await rename(join(directory, name), aside);
  await rm(aside, { recursive: true, force: true });
  return true;
}

/** Deletes all but the newest finished backups, and leftovers of failed ones. Returns the deleted names. */
export async function pruneBackups(directory: string, keep: number): Promise<string[]> {
  const kept = await keptBackups(directory);
  const good = kept.filter(({ manifest }) => manifest !== null);
  const newest = good[0];
  const spare = new Set(good.slice(keep).map(({ name }) => name));
  const old = kept.filter(
    ({ name, manifest }) => spare.has(name) || (manifest === null && newest !== undefined && name < newest.name),
  );
  for (const { name } of old) await deleteBackup(directory, name);
  return old.map(({ name }) => name);
}
