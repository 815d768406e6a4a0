import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { endOpenLinks } from "#domain/accounts/index.ts";
import { masterKeysIn } from "#domain/identity/index.ts";
import { unwrapSecret } from "#domain/moves/index.ts";
import { eraseTraces } from "#domain/people/index.ts";
import { systemClock } from "#kernel/time.ts";
import { missingMigrations, openMetadata, RECORDS_FILE, type MetadataStore } from "#stores/metadata/index.ts";
import { Repository } from "#stores/repository/index.ts";
import {
  addDeletions,
  applyDeletions,
  chosenBackup,
  deferEndOfLinks,
  DELETIONS_FILE,
  fillDataDirectory,
  gatherBackup,
  isRecordTable,
  MASTER_KEY_FILE,
  openBackupPlace,
  readDeletions,
  readDeletionsIn,
  restoreDirectory,
  restoreRecords,
} from "../backup/index.ts";
import type { Config } from "../config.ts";
import { partOf, PART_OPTIONS } from "./backup/parts.ts";
import { withKeyFile } from "./backup/place.ts";
import { restoreIntoServer } from "./backup/restore-into-server.ts";
import {
  CommandError,
  command,
  configOf,
  ExitCode,
  LOCAL_OPTIONS,
  noMore,
  requiredOption,
  textOption,
  UsageError,
  type Option,
  type Parsed,
} from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { passphraseOf } from "./moving.ts";
import { checkAudit, checkContent } from "./restored-checks.ts";

const USAGE = `
Usage: mooring restore --from PLACE [--backup NAME] [--key-file FILE] [--passphrase-file FILE] --data-dir NEW [--deletions FILE]

       mooring restore --org ORG|--project ORG/PROJECT|--bucket ORG/BUCKET|--file FILE [--backup NAME] [--as SLUG] [--keep-credentials] [--data-dir DIR]

Restores a backup, by default the newest one, into a new data directory. Every byte is checked; then content and audit log. Open set-up
links, reset links and invitations end: create new ones. Records of an older version stay unchanged until the server, or mooring
upgrade, upgrades them. NEW must be absent or empty. The backup does not change. PLACE may also be a backup of the former form: the
directory that has backup.json.

The backup key is in FILE, or in MOORING_BACKUP_KEY. A backup that has the master key needs its passphrase.

People who were deleted after the backup are deleted again. Their ids are in the place of backups, and in deletions.ndjson of the former
data directory: name that file with --deletions, if you still have it.

With --org, --project, --bucket or --file, restores only this part, from the place in backup_dir into the running server of DIR. An organization
or a project returns with its ids, if it is not there. Objects and a file become new versions. Credentials return revoked, unless you add
--keep-credentials. Alerts and destinations of webhooks return paused.

  mooring restore --file file_01k… --data-dir ./data
  mooring restore --project acme/shop --backup 20261122T181500Z --data-dir ./data
  mooring restore --from /mnt/backups --key-file /media/usb/backup.key --data-dir ./restored
  mooring restore --from s3://backups/mooring --backup 20261122T181500Z --key-file ./backup.key --data-dir ./restored
  cp /etc/mooring/master.key ./restored/
  mooring serve --data-dir ./restored

Exit codes: 0 restored without faults, 1 not restored, or faults were found, 2 wrong usage, 130 interrupted.
`;

const OPTIONS: readonly Option[] = [
  { name: "from", value: "PLACE", description: "place of backups: a directory, or s3://BUCKET/PREFIX" },
  { name: "backup", value: "NAME", description: "the backup to restore (default: the newest)" },
  ...PART_OPTIONS,
  { name: "as", value: "SLUG", description: "slug of a restored organization (default: as in the backup)" },
  { name: "keep-credentials", description: "restored credentials and S3 keys work again" },
  { name: "key-file", value: "FILE", description: "file with the backup key (default: backup_key)" },
  { name: "passphrase-file", value: "FILE", description: "file whose first line is the passphrase of the master key" },
  {
    name: "deletions",
    value: "FILE",
    description: "another list of deletions, for example of the former data directory",
  },
  ...LOCAL_OPTIONS,
];

export const restore = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const part = partOf(parsed);
  if (part !== null) return restoreIntoServer(parsed, part);
  const [from, dataDir] = [requiredOption(parsed, "from"), requiredOption(parsed, "data-dir")];
  const config = await withKeyFile(parsed, configOf(parsed));
  const passphrase = await passphraseOf(parsed);
  const interrupt = onInterrupt();
  try {
    const filled = existsSync(join(from, "backup.json"))
      ? await fillFromDirectory(from, dataDir, interrupt.signal)
      : await fillFromRepository(parsed, config, { from, dataDir, passphrase, signal: interrupt.signal });
    await addDeletions(dataDir, filled.deletions);
    const other = textOption(parsed, "deletions");
    if (other !== undefined) await addDeletions(dataDir, await readDeletions(other));
    const findings =
      (await check(dataDir, config.database_url ?? undefined, interrupt.signal)) +
      (await checkMasterKey(dataDir, filled.masterKeyId));
    return findings === 0 ? ExitCode.ok : ExitCode.failed;
  } catch (error) {
    if (interrupt.signal.aborted) return ExitCode.interrupted;
    if (error instanceof UsageError) throw error;
    throw new CommandError((error as Error).message);
  } finally {
    interrupt.release();
  }
});

/** A filled data directory. */
interface Filled {
  readonly deletions: Awaited<ReturnType<typeof readDeletions>>;
  /** The id of the master key of the records. */
  readonly masterKeyId: string | null;
}

async function fillFromDirectory(from: string, dataDir: string, signal: AbortSignal): Promise<Filled> {
  const manifest = await restoreDirectory(from, dataDir, signal);
  say(`ok        ${manifest.files} files of ${manifest.started_at}, by version ${manifest.version}`);
  const deletions = await readDeletions(join(resolve(from), "..", DELETIONS_FILE));
  return { deletions, masterKeyId: manifest.master_key_id ?? null };
}

async function fillFromRepository(
  parsed: Parsed,
  config: Config,
  {
    from,
    dataDir,
    passphrase,
    signal,
  }: {
    readonly from: string;
    readonly dataDir: string;
    readonly passphrase: string | null;
    readonly signal: AbortSignal;
  },
): Promise<Filled> {
  if (config.backup_key === null)
    throw new UsageError("the backup key is missing: name its file with --key-file, or set MOORING_BACKUP_KEY_FILE");
  const archive = await openBackupPlace(config, from).catch((error: Error) => {
    throw new UsageError(error.message);
  });
  try {
    const repository = await Repository.open(archive, config.backup_key, { wholePacks: true });
    const backup = await chosenBackup(repository, textOption(parsed, "backup"));
    const { facts } = backup;
    if (facts.master_key && passphrase === null)
      say("The backup has the master key, and it stays there without --passphrase-file.");
    const withKey = facts.master_key && passphrase !== null;
    const isRecords = (path: string): boolean => path === RECORDS_FILE || isRecordTable(path);
    const wants = (path: string): boolean => !isRecords(path) && (path !== MASTER_KEY_FILE || withKey);
    await fillDataDirectory(dataDir, async (to) => {
      await gatherBackup(repository, backup, to, { wants, signal });
      const url = config.database_url ?? undefined;
      await restoreRecords(repository, backup, { dataDir: to, url, clock: systemClock, signal });
      if (withKey) await unwrapMasterKey(to, passphrase);
    });
    say(`ok        ${backup.files} files of ${backup.started_at}, by version ${facts.version}`);
    return { deletions: await readDeletionsIn(archive), masterKeyId: facts.master_key_id };
  } finally {
    archive.close();
  }
}

async function unwrapMasterKey(directory: string, passphrase: string): Promise<void> {
  const path = join(directory, MASTER_KEY_FILE);
  const secret = await unwrapSecret(passphrase, await readFile(path, "utf8"));
  await writeFile(join(directory, "master.key"), secret, { mode: 0o600, flush: true });
  await rm(path);
}

/** Deletes people again who were deleted after the backup, with their traces. */
async function deleteAgain(metadata: MetadataStore, dataDir: string): Promise<void> {
  const nothing = (): Promise<void> => Promise.resolve();
  const deps = { metadata, clock: systemClock, note: nothing, forgetCaches: nothing };
  const again = await applyDeletions(dataDir, deps);
  await eraseTraces(deps, again);
  say(`ok        deleted again: ${again.length} people`);
}

/** Compares the master key in the backup with the one that its records need. Returns the number of faults. */
async function checkMasterKey(dataDir: string, needed: string | null): Promise<number> {
  const present = await masterKeysIn(dataDir);
  if (present.length > 0 && needed !== null && !present.includes(needed)) {
    say(
      `FAIL      the records need master key ${needed}, and master.key of the backup is key ${present.join(" and ")}`,
    );
    return 1;
  }
  const key = needed === null ? "" : ` (key ${needed})`;
  if (present.length === 0)
    say(`Put master.key${key} into ${dataDir} before the start, or give the key as MOORING_MASTER_KEY.`);
  return 0;
}

/** Runs the checks of `scrub` and `audit verify`. Returns the number of faults. */
async function check(dataDir: string, url: string | undefined, signal: AbortSignal): Promise<number> {
  const metadata = await openWithoutUpgrade(dataDir, url);
  if (metadata === null) return 0;
  try {
    await endLinks(metadata);
    await deleteAgain(metadata, dataDir);
    return (await checkContent(metadata, dataDir, say, signal)) + (await checkAudit(metadata, say));
  } finally {
    await metadata.close();
  }
}

/** Returns null for records of an older version, because a restore does not upgrade them. */
async function openWithoutUpgrade(dataDir: string, url: string | undefined): Promise<MetadataStore | null> {
  try {
    return await openMetadata({ url, dataDir, clock: systemClock, migrating: "refuse" });
  } catch (error) {
    if (missingMigrations(error).length === 0) throw error;
    await deferEndOfLinks(dataDir);
    say("older the records are of an older version: mooring serve, or mooring upgrade, upgrades them and");
    say(
      "          ends their open links, and deletes people again who were deleted after the backup. Then run mooring scrub and mooring audit verify.",
    );
    return null;
  }
}

/** Ends open links, because a backup also contains links that were used or revoked after it was made. */
async function endLinks(metadata: MetadataStore): Promise<void> {
  const ended = await endOpenLinks({ metadata, clock: systemClock });
  const parts = Object.entries(ended).map(([kind, count]) => `${count} ${kind.replaceAll("_", " ")}`);
  say(`ok        open links ended: ${parts.join(", ")}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
