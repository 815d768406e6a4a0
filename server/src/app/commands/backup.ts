import { systemClock } from "#kernel/time.ts";
import { missingMigrations } from "#stores/metadata/index.ts";
import { createBackup, noteDeletions, type BackupManifest } from "../backup/index.ts";
import { productManifest } from "../build-facts.ts";
import { hasExternalKey } from "../master-keys.ts";
import {
  CommandError,
  LOCAL_OPTIONS,
  command,
  configOf,
  ExitCode,
  noMore,
  textOption,
  UsageError,
  type Option,
} from "./command.ts";
import { untilInterrupt } from "./interrupt.ts";
import { withMetadata } from "./stores.ts";

const USAGE = `
Usage: mooring backup --to DIR [--with-master-key] [--json] [--data-dir DIR]

Backs up the data directory into a new directory within DIR, with or without a running server: records, telemetry and content of the same
moment, with everything that was acknowledged before the start. On the same file system, files that never change are linked. Links take
no space, but don't protect against a broken disk: copy the directory elsewhere, or choose a DIR on another disk. Content in a bucket is
not backed up.

DIR also gets deletions.ndjson, the list of deleted people: a restore of an older backup deletes them again.

The backup has no master key, unless you add --with-master-key. Keep the key elsewhere: without it, stored secrets can't be read.

  mooring backup --to /mnt/backups --data-dir ./data
  mooring restore --from /mnt/backups/mooring-20261122T181500Z --data-dir ./restored

This command does not back up records in PostgreSQL; docs/reference/operations.md says how to do that.

Exit codes: 0 done, 1 not done, 2 wrong usage, 130 interrupted. A directory without backup.json was not finished.
`;

const OPTIONS: readonly Option[] = [
  { name: "to", value: "DIR", description: "directory of backups (default: backup_dir)" },
  { name: "with-master-key", description: "also put master.key into the backup" },
  { name: "json", description: "print JSON: {name, manifest}" },
  ...LOCAL_OPTIONS,
];

export const backup = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const config = configOf(parsed);
  const to = textOption(parsed, "to") ?? config.backup_dir;
  if (to === null) throw new UsageError("--to is missing");
  if (config.database_url !== null)
    throw new CommandError(
      "cannot back up: the records are in PostgreSQL. Stop the server, dump the database with pg_dump, and copy the data directory.",
    );
  const withMasterKey = parsed.values["with-master-key"] === true;
  if (withMasterKey && hasExternalKey(config))
    throw new CommandError(
      "cannot put the master key into the backup: it comes from a setting or a service, not from a file",
    );
  const options = {
    dataDir: config.data_dir,
    to,
    withMasterKey,
    version: productManifest().version,
    clock: systemClock,
  };
  return untilInterrupt(async (signal) => {
    const { name, manifest } = await createBackup({ ...options, signal }).catch((error: Error) => {
      throw new CommandError(`the backup was not made: ${error.message}`);
    });
    // A restore of an older backup in this directory deletes these people again. Records of an older version have none.
    await withMetadata(config, (metadata) => noteDeletions(metadata, [to])).catch((error: Error) => {
      if (missingMigrations(error).length > 0) return;
      throw new CommandError(`the backup ${name} was made, but not the list of deletions beside it: ${error.message}`);
    });
    process.stdout.write(
      parsed.values["json"] === true ? `${JSON.stringify({ name, manifest })}\n` : readable(`${to}/${name}`, manifest),
    );
    return ExitCode.ok;
  });
});

function readable(path: string, manifest: BackupManifest): string {
  const { files, bytes, linked_bytes: linked, master_key: hasKey, blobs_elsewhere: elsewhere } = manifest;
  const lines = [`${path}: ${files} files of ${mebibytes(bytes)}, ${mebibytes(linked)} of it linked`];
  if (!hasKey) lines.push("The backup has no master key: keep master.key elsewhere, or stored secrets are lost.");
  if (elsewhere > 0) lines.push(`${elsewhere} contents are in a bucket, and are not in this backup.`);
  return `${lines.join("\n")}\n`;
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
