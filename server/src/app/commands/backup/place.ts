import { readFile } from "node:fs/promises";
import type { Archive } from "#stores/archive/index.ts";
import { openBackupPlace } from "../../backup/index.ts";
import type { Config } from "../../config.ts";
import { CommandError, textOption, UsageError, type Parsed } from "../command.ts";

/** Returns the place that `--to` or `backup_dir` names. @throws UsageError */
export function placeOf(parsed: Parsed, config: Config): string {
  const place = textOption(parsed, "to") ?? config.backup_dir;
  if (place === null) throw new UsageError("--to is missing");
  return place;
}

/** Runs work with the place of backups that `--to` or `backup_dir` names. */
export async function withPlace<T>(parsed: Parsed, config: Config, work: (archive: Archive) => Promise<T>): Promise<T> {
  const archive = await openBackupPlace(config, placeOf(parsed, config)).catch((error: Error) => {
    throw new UsageError(error.message);
  });
  try {
    return await work(archive);
  } finally {
    archive.close();
  }
}

/** Returns the settings, with the key of `--key-file` if there is one. */
export async function withKeyFile(parsed: Parsed, config: Config): Promise<Config> {
  const path = textOption(parsed, "key-file");
  if (path === undefined) return config;
  const text = await readFile(path, "utf8").catch((error: Error) => {
    throw new CommandError(`cannot read the backup key: ${error.message}`);
  });
  return { ...config, backup_key: text.trim() };
}
