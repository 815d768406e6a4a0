import { Repository } from "#stores/repository/index.ts";
import { chosenBackup, requireBackupKey } from "../../backup/index.ts";
import { productManifest } from "../../build-facts.ts";
import { CommandError, configOf, ExitCode, requiredOption, textOption, UsageError, type Parsed } from "../command.ts";
import { untilInterrupt } from "../interrupt.ts";
import { mebibytes, passphraseOf } from "../moving.ts";
import { extractPart } from "./extract-part.ts";
import { partOf } from "./parts.ts";
import { withKeyFile, withPlace } from "./place.ts";

/** `mooring backup extract`: writes a part of a backup to a directory, in the form of an export. */
export async function extract(parsed: Parsed): Promise<number> {
  const config = await withKeyFile(parsed, configOf(parsed));
  const part = partOf(parsed);
  if (part === null) throw new UsageError("name a part: --org, --project, --bucket or --file");
  const to = requiredOption(parsed, "into");
  const passphrase = await passphraseOf(parsed);
  if (passphrase === null) throw new UsageError("--passphrase-file is missing: it protects the secrets of the part");
  return untilInterrupt((signal) =>
    withPlace(parsed, config, async (archive) => {
      try {
        const repository = await Repository.open(archive, await requireBackupKey(config));
        const backup = await chosenBackup(repository, textOption(parsed, "name"));
        const { version } = productManifest();
        const manifest = await extractPart(config, { repository, backup, part, to, passphrase, version, signal });
        const made = { backup: backup.name, files: manifest.files, bytes: manifest.bytes };
        const text = `${to}: ${made.files} files of ${mebibytes(made.bytes)}, of backup ${made.backup}\n`;
        process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(made)}\n` : text);
        return ExitCode.ok;
      } catch (error) {
        signal.throwIfAborted();
        throw new CommandError((error as Error).message);
      }
    }),
  );
}
