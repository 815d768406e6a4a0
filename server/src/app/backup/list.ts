import type { Archive } from "#stores/archive/index.ts";
import { backupNames, openRepositoryKeys, readBackup, type Repository } from "#stores/repository/index.ts";
import type { Backup, BackupFacts } from "./facts.ts";

/** A backup, or the reason why it can't be read. */
export type ListedBackup =
  | { readonly name: string; readonly backup: Backup }
  | { readonly name: string; readonly backup: null; readonly fault: string };

/** Lists the backups of a place, newest first. A place without a repository has none. */
export async function listBackups(
  archive: Archive,
  backupKey: string | undefined,
  known?: ReadonlyMap<string, Backup>,
): Promise<ListedBackup[]> {
  const names = await backupNames(archive);
  if (names.length === 0) return [];
  if (backupKey === undefined) return names.map((name) => ({ name, backup: null, fault: "the backup key is missing" }));
  const keys = await openRepositoryKeys(archive, backupKey);
  const listed: ListedBackup[] = [];
  for (const name of names) {
    const kept = known?.get(name);
    listed.push(
      kept === undefined
        ? await readBackup<BackupFacts>(archive, keys, name).then(
            (backup) => ({ name, backup }),
            (error: Error) => ({ name, backup: null, fault: error.message }),
          )
        : { name, backup: kept },
    );
  }
  return listed;
}

/** Returns the backup of this name, or the newest one. @throws Error when there is none, or it was altered */
export async function chosenBackup({ archive, keys }: Repository, name: string | undefined): Promise<Backup> {
  const names = await backupNames(archive);
  const chosen = name ?? names[0];
  if (chosen === undefined) throw new Error(`there is no backup in ${archive.name}`);
  if (!names.includes(chosen)) throw new Error(`there is no backup ${chosen} in ${archive.name}`);
  return readBackup<BackupFacts>(archive, keys, chosen);
}
