import { join, resolve } from "node:path";
import { guardBeside } from "../clock.ts";
import { endOpenLinks } from "#domain/accounts/index.ts";
import { verifyAudit } from "#domain/audit/index.ts";
import { masterKeysIn } from "#domain/identity/index.ts";
import { eraseTraces } from "#domain/people/index.ts";
import { systemClock } from "#kernel/time.ts";
import { missingMigrations, openMetadata, type MetadataStore } from "#stores/metadata/index.ts";
import { scrubObjects } from "#stores/objects/index.ts";
import {
  addDeletions,
  applyDeletions,
  deferEndOfLinks,
  DELETIONS_FILE,
  readDeletions,
  restoreBackup,
  type BackupManifest,
} from "../backup/index.ts";
import { CommandError, command, ExitCode, noMore, requiredOption, textOption, type Option } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";
import { CONTENT_COLUMNS } from "./scrub.ts";
import { listOrganizations } from "./store.ts";

const USAGE = `
Usage: mooring restore --from BACKUP --data-dir NEW [--deletions FILE]

Restores a backup into a new data directory. It copies every file and compares its checksum; then it checks content and audit log. Open
set-up links, reset links and invitations end: create new ones. Records of an older version stay unchanged until the server, or mooring
upgrade, upgrades them. NEW must be absent or empty. The backup does not change.

People who were deleted after the backup are deleted again. Their ids are in deletions.ndjson beside the backup, and in the former data
directory: name that file with --deletions, if you still have it.

  mooring restore --from /mnt/backups/mooring-20261122T181500Z --data-dir ./restored
  cp /etc/mooring/master.key ./restored/
  mooring serve --data-dir ./restored

Exit codes: 0 restored without faults, 1 not restored, or faults were found, 2 wrong usage, 130 interrupted.
`;

const OPTIONS: readonly Option[] = [
  { name: "from", value: "BACKUP", description: "the backup: the directory that has backup.json" },
  {
    name: "deletions",
    value: "FILE",
    description: "another list of deletions, for example of the former data directory",
  },
  { name: "data-dir", value: "NEW", description: "the data directory to create" },
];

export const restore = command(USAGE, OPTIONS, async (parsed) => {
  noMore(parsed.positionals);
  const [from, dataDir] = [requiredOption(parsed, "from"), requiredOption(parsed, "data-dir")];
  const interrupt = onInterrupt();
  try {
    const manifest = await restoreBackup(from, dataDir, interrupt.signal);
    say(`ok        ${manifest.files} files of ${manifest.started_at}, by version ${manifest.version}`);
    await keepDeletions(from, dataDir, textOption(parsed, "deletions"));
    const findings = (await check(dataDir, interrupt.signal)) + (await checkMasterKey(dataDir, manifest));
    return findings === 0 ? ExitCode.ok : ExitCode.failed;
  } catch (error) {
    if (interrupt.signal.aborted) return ExitCode.interrupted;
    throw new CommandError((error as Error).message);
  } finally {
    interrupt.release();
  }
});

/** Copies the lists of deletions into the data directory. */
async function keepDeletions(from: string, dataDir: string, other: string | undefined): Promise<void> {
  const paths = [join(resolve(from), "..", DELETIONS_FILE), ...(other === undefined ? [] : [other])];
  for (const path of paths) await addDeletions(dataDir, await readDeletions(path));
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
async function checkMasterKey(dataDir: string, { master_key_id: needed }: BackupManifest): Promise<number> {
  const present = await masterKeysIn(dataDir);
  if (present.length > 0 && needed !== undefined && needed !== null && !present.includes(needed)) {
    say(
      `FAIL      the records need master key ${needed}, and master.key of the backup is key ${present.join(" and ")}`,
    );
    return 1;
  }
  const key = needed === undefined || needed === null ? "" : ` (key ${needed})`;
  if (present.length === 0)
    say(`Put master.key${key} into ${dataDir} before the start, or give the key as MOORING_MASTER_KEY.`);
  return 0;
}

/** Runs the checks of `scrub` and `audit verify`. Returns the number of faults. */
async function check(dataDir: string, signal: AbortSignal): Promise<number> {
  const metadata = await openWithoutUpgrade(dataDir);
  if (metadata === null) return 0;
  try {
    await endLinks(metadata);
    await deleteAgain(metadata, dataDir);
    return (await checkContent(metadata, dataDir, signal)) + (await checkAudit(metadata));
  } finally {
    await metadata.close();
  }
}

/** Returns null for records of an older version, because a restore does not upgrade them. */
async function openWithoutUpgrade(dataDir: string): Promise<MetadataStore | null> {
  try {
    return await openMetadata({ url: undefined, dataDir, clock: systemClock, migrating: "refuse" });
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

async function checkContent(metadata: MetadataStore, dataDir: string, signal: AbortSignal): Promise<number> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
  // Compares sizes only: checksums were compared during the copy.
  const { findings, blobs } = await scrubObjects(
    { dataDir, metadata, clock: await guardBeside(dataDir, metadata), log },
    {
      references: CONTENT_COLUMNS,
      quick: true,
      found: ({ kind, what, detail }) => say(`${kind.padEnd(9)} ${what}: ${detail}`),
      signal,
    },
  );
  if (findings === 0) say(`ok        ${blobs} contents`);
  return findings;
}

async function checkAudit(metadata: MetadataStore): Promise<number> {
  let faults = 0;
  const organizations = await listOrganizations(metadata.read);
  for (const { id, slug } of [{ id: null, slug: "instance" }, ...organizations]) {
    const verdict = await verifyAudit({ metadata }, id);
    if (verdict.ok) continue;
    faults += 1;
    say(`FAIL      audit log of ${slug}: ${verdict.detail}`);
  }
  if (faults === 0) say(`ok        audit logs of ${organizations.length} organizations and the instance`);
  return faults;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
