import { join } from "node:path";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import { readTextIfPresent, writeFileDurably } from "#stores/directory/index.ts";
import { isBackupKey, keyIdOf, newBackupKey, readConfig } from "#stores/repository/index.ts";
import type { Config } from "../config.ts";

/** The key of backups in the data directory. */
const BACKUP_KEY_FILE = "backup.key";
/** Says that a person has a copy of the key elsewhere. */
const CONFIRMED_FILE = "backup.key.confirmed";

type KeyConfig = Pick<Config, "backup_key" | "data_dir">;

/** Returns the key of the setting or of the data directory. Undefined: there is none yet. */
export async function presentBackupKey({
  backup_key: setting,
  data_dir: dataDir,
}: KeyConfig): Promise<string | undefined> {
  if (setting !== null) return setting;
  const path = join(dataDir, BACKUP_KEY_FILE);
  const text = (await readTextIfPresent(path))?.trim();
  if (text !== undefined && !isBackupKey(text)) throw new Error(`${path} is not a backup key`);
  return text;
}

/** Returns the key, and creates it for a new repository. @throws Error when the repository has a key that is not here */
export async function backupKeyFor(config: KeyConfig, archive: Archive): Promise<string> {
  const present = await presentBackupKey(config);
  if (present !== undefined) return present;
  const path = join(config.data_dir, BACKUP_KEY_FILE);
  const repository = await readConfig(archive);
  if (repository !== null)
    throw new Error(
      `the backups in ${archive.name} need backup key ${repository.key_id}: put it into ${path}, or set backup_key`,
    );
  const key = newBackupKey();
  await writeFileDurably(path, `${key}\n`);
  return key;
}

/** @throws Error when there is no key */
export async function requireBackupKey(config: KeyConfig): Promise<string> {
  const key = await presentBackupKey(config);
  if (key !== undefined) return key;
  throw new Error(
    `the backup key is missing: put it into ${join(config.data_dir, BACKUP_KEY_FILE)}, or set MOORING_BACKUP_KEY_FILE to its file`,
  );
}

/** Notes that a copy of the key is elsewhere. @throws Error when the copy is another key */
export async function confirmBackupKey(config: KeyConfig, copy: string, clock: Clock): Promise<void> {
  const key = await requireBackupKey(config);
  if (copy.trim() !== key) throw new Error("the copy is not the backup key of this server");
  const note = { key_id: keyIdOf(key), confirmed_at: isoFromMs(clock.nowMs()) };
  await writeFileDurably(join(config.data_dir, CONFIRMED_FILE), `${JSON.stringify(note)}\n`);
}

/** Whether a copy of this key was confirmed. A key of the setting is outside of the data directory. */
export async function isBackupKeyConfirmed({ backup_key: setting, data_dir: dataDir }: KeyConfig): Promise<boolean> {
  if (setting !== null) return true;
  const [key, note] = [
    await presentBackupKey({ backup_key: null, data_dir: dataDir }),
    await readTextIfPresent(join(dataDir, CONFIRMED_FILE)),
  ];
  if (key === undefined || note === undefined) return false;
  return (JSON.parse(note) as { key_id?: unknown }).key_id === keyIdOf(key);
}
