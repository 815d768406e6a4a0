import { systemClock } from "#kernel/time.ts";
import { pruneRepository } from "#stores/repository/index.ts";
import { requireBackupKey, retentionOf } from "../../backup/index.ts";
import { CommandError, configOf, ExitCode, textsOption, type Parsed } from "../command.ts";
import { untilInterrupt } from "../interrupt.ts";
import { withKeyFile, withPlace } from "./place.ts";

/** `mooring backup prune`. */
export async function prune(parsed: Parsed): Promise<number> {
  const config = await withKeyFile(parsed, configOf(parsed));
  const names = textsOption(parsed, "delete");
  const retention = names.length > 0 ? null : retentionOf(config);
  return untilInterrupt((signal) =>
    withPlace(parsed, config, async (archive) => {
      const { backups, deletedPacks } = await requireBackupKey(config)
        .then((key) => pruneRepository(archive, key, { clock: systemClock, retention, names, signal }))
        .catch((error: Error) => {
          signal.throwIfAborted();
          throw new CommandError(`the prune did not end: ${error.message}`);
        });
      const text = `deleted ${backups.length} backups${backups.length > 0 ? `: ${backups.join(", ")}` : ""}, and ${deletedPacks} packs\n`;
      process.stdout.write(
        parsed.values["json"] === true ? `${JSON.stringify({ backups, deleted_packs: deletedPacks })}\n` : text,
      );
      return ExitCode.ok;
    }),
  );
}
