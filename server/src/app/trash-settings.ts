import type { TrashSettings } from "#domain/trash/index.ts";
import type { Config } from "./config.ts";

/** The days of organizations without own ones. They are the same for files and for everything else. */
export function trashSettingsOf(config: Pick<Config, "files_trash_days">): TrashSettings {
  return { days: config.files_trash_days };
}
