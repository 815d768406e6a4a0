import { Problem } from "#kernel/problem.ts";
import { backupNames, startOfBackup } from "#stores/repository/index.ts";
import type { Config } from "../config.ts";
import { openBackupPlace } from "./place.ts";

/** Returns the backups in the place of the settings that began after a time, newest first. @throws Problem `unavailable` */
export async function backupsSince(config: Config, ms: number): Promise<{ name: string; startedMs: number }[]> {
  if (config.backup_dir === null) return [];
  try {
    const names = await backupNames(await openBackupPlace(config, config.backup_dir));
    return names.map((name) => ({ name, startedMs: startOfBackup(name) })).filter(({ startedMs }) => startedMs > ms);
  } catch (cause) {
    throw new Problem("unavailable", "cannot list the backups that have these rows; try again later", { cause });
  }
}
