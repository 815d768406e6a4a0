/**
 * A repository of backups, in a directory or under a prefix of a bucket:
 *
 * ```
 * config                     names the format and the key; written first
 * packs/<sha256>             items one after the other, each encrypted; the name is the digest of the file
 * index/<time>-<random>      encrypted list of items with their packs
 * backups/<time>.json        a backup: encrypted facts, and the items that list its files; written last
 * locks/<time>-<random>.json present users of the repository
 * ```
 *
 * No file ever changes. A backup that is interrupted leaves only packs and indexes that nothing needs. Pruning deletes
 * them. Packs can be compared with their names without the key.
 */
export const CONFIG = "config";
export const PACKS = "packs/";
export const INDEX = "index/";
export const BACKUPS = "backups/";
export const LOCKS = "locks/";

const BACKUP_NAME = /^\d{8}T\d{6}Z(-\d{1,3})?$/;

/** Returns a name that sorts by time. */
export function timeName(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
}

/** Returns the start time in the name of a backup. */
export function startOfBackup(name: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

export function isBackupName(name: string): boolean {
  return BACKUP_NAME.test(name);
}

export function backupPath(name: string): string {
  return `${BACKUPS}${name}.json`;
}

/** Returns the name of the backup at a path, or undefined for another file. */
export function backupAt(path: string): string | undefined {
  const name = path.slice(BACKUPS.length, -".json".length);
  return isBackupName(name) && backupPath(name) === path ? name : undefined;
}

const PACK = /^packs\/([0-9a-f]{64})$/;

export function packPath(sha256: string): string {
  return `${PACKS}${sha256}`;
}

export function packAt(path: string): string | undefined {
  return PACK.exec(path)?.[1];
}
