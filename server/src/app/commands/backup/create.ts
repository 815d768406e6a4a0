import { readFile } from "node:fs/promises";
import { wrapSecret } from "#domain/moves/index.ts";
import { systemClock } from "#kernel/time.ts";
import { missingMigrations } from "#stores/metadata/index.ts";
import {
  backupKeyFor,
  changeBackupMemory,
  createBackup,
  isBackupKeyConfirmed,
  noteDeletionsIn,
  type Backup,
} from "../../backup/index.ts";
import { productManifest } from "../../build-facts.ts";
import type { Config } from "../../config.ts";
import { hasExternalKey } from "../../master-keys.ts";
import { CommandError, configOf, ExitCode, UsageError, type Parsed } from "../command.ts";
import { untilInterrupt } from "../interrupt.ts";
import { mebibytes, passphraseOf } from "../moving.ts";
import { withMetadata } from "../stores.ts";
import { placeOf, withKeyFile, withPlace } from "./place.ts";

/** `mooring backup`: creates a backup. */
export async function create(parsed: Parsed): Promise<number> {
  const config = await withKeyFile(parsed, configOf(parsed));
  const wrappedMasterKey = await wrappedKey(parsed, config);
  return untilInterrupt((signal) =>
    withPlace(parsed, config, async (archive) => {
      const { data_dir: dataDir, database_url: url } = config;
      const { version } = productManifest();
      const made = await backupKeyFor(config, archive)
        .then((backupKey) =>
          createBackup({
            dataDir,
            url: url ?? undefined,
            archive,
            backupKey,
            wrappedMasterKey,
            version,
            clock: systemClock,
            signal,
          }),
        )
        .catch((error: Error) => {
          signal.throwIfAborted();
          throw new CommandError(`the backup was not made: ${error.message}`);
        });
      const place = placeOf(parsed, config);
      if (place === config.backup_dir)
        await changeBackupMemory(dataDir, { success: { place, at: made.started_at }, failure: null });
      // A restore of an older backup deletes these people again. Records of an older version have none.
      await withMetadata(config, (metadata) => noteDeletionsIn(archive, metadata)).catch((error: Error) => {
        if (missingMigrations(error).length > 0) return;
        throw new CommandError(`the backup ${made.name} was made, but not the list of deletions: ${error.message}`);
      });
      const isConfirmed = await isBackupKeyConfirmed(config);
      process.stdout.write(
        parsed.values["json"] === true ? `${JSON.stringify(made)}\n` : readable(archive.name, made, isConfirmed),
      );
      return ExitCode.ok;
    }),
  );
}

async function wrappedKey(parsed: Parsed, config: Config): Promise<string | null> {
  const passphrase = await passphraseOf(parsed);
  if (parsed.values["with-master-key"] !== true) return null;
  if (hasExternalKey(config))
    throw new CommandError(
      "cannot put the master key into the backup: it comes from a setting or a service, not from a file",
    );
  if (passphrase === null) throw new UsageError("--with-master-key needs --passphrase-file");
  const key = await readFile(`${config.data_dir}/master.key`).catch((error: Error) => {
    throw new CommandError(`cannot read the master key: ${error.message}`);
  });
  return wrapSecret(passphrase, key);
}

function readable(
  place: string,
  { name, files, bytes, added_bytes: added, facts }: Backup,
  isConfirmed: boolean,
): string {
  const lines = [`${name} in ${place}: ${files} files of ${mebibytes(bytes)}, ${mebibytes(added)} of it new`];
  if (!isConfirmed)
    lines.push("Keep a copy of the backup key elsewhere: mooring backup key prints it. Without it nobody can restore.");
  if (!facts.master_key)
    lines.push("The backup has no master key: keep master.key elsewhere, or stored secrets are lost.");
  if (facts.blobs_elsewhere > 0)
    lines.push(`${facts.blobs_elsewhere} contents are in a bucket, and are not in this backup.`);
  return `${lines.join("\n")}\n`;
}
