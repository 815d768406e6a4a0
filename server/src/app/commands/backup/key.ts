import { readFile } from "node:fs/promises";
import { systemClock } from "#kernel/time.ts";
import { keyIdOf } from "#stores/repository/index.ts";
import { confirmBackupKey, isBackupKeyConfirmed, requireBackupKey } from "../../backup/index.ts";
import { CommandError, configOf, ExitCode, textOption, type Parsed } from "../command.ts";

/** `mooring backup key`. It prints the key only until a copy was confirmed. */
export async function key(parsed: Parsed): Promise<number> {
  const config = configOf(parsed);
  const path = textOption(parsed, "confirm");
  try {
    const present = await requireBackupKey(config);
    const id = keyIdOf(present);
    if (path !== undefined) {
      await confirmBackupKey(config, await readFile(path, "utf8"), systemClock);
      process.stdout.write(`The copy is right. Backup key ${id} is not shown again.\n`);
    } else if (await isBackupKeyConfirmed(config))
      process.stdout.write(`A copy of backup key ${id} was confirmed, so it is not shown again.\n`);
    else process.stdout.write(`${present}\n`);
    return ExitCode.ok;
  } catch (error) {
    throw new CommandError((error as Error).message);
  }
}
