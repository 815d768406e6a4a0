import { mkdir, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import { countRows, openMetadata, openRecordsCopy, RECORDS_FILE } from "#stores/metadata/index.ts";
import { Repository, verifyRepository } from "#stores/repository/index.ts";
import {
  chosenBackup,
  gatherBackup,
  isRecordTable,
  MASTER_KEY_FILE,
  requireBackupKey,
  restoreRecords,
  type Backup,
} from "../../backup/index.ts";
import type { Config } from "../../config.ts";
import { configOf, ExitCode, type Parsed } from "../command.ts";
import { untilInterrupt } from "../interrupt.ts";
import { mebibytes } from "../moving.ts";
import { checkAudit, checkContent } from "../restored-checks.ts";
import { withKeyFile, withPlace } from "./place.ts";

/** The temporary data directory. */
const WORK = "backup.trial";
/** A larger backup is not restored as a whole. */
const BYTES_MAX = 50 * 1024 ** 3;
/** The trial leaves so much of the free space to the server. */
const FREE_PART_MAX = 0.5;
const PACKS_PART = 0.01;
const DAY_MS = 86_400_000;

interface TrialOutcome {
  readonly ok: boolean;
  readonly backup: string;
  readonly detail: string;
}

/** `mooring backup trial`: shows that the newest backup can be restored. */
export async function trial(parsed: Parsed): Promise<number> {
  const config = await withKeyFile(parsed, configOf(parsed));
  return untilInterrupt((signal) =>
    withPlace(parsed, config, async (archive) => {
      const backupKey = await requireBackupKey(config);
      const outcome = await tryRestore(config, archive, backupKey, signal);
      const { ok, backup, detail } = outcome;
      process.stdout.write(
        parsed.values["json"] === true
          ? `${JSON.stringify(outcome)}\n`
          : `${ok ? "ok        " : "FAIL      "}${backup}: ${detail}\n`,
      );
      return ok ? ExitCode.ok : ExitCode.failed;
    }),
  );
}

async function tryRestore(
  config: Config,
  archive: Archive,
  backupKey: string,
  signal: AbortSignal,
): Promise<TrialOutcome> {
  const repository = await Repository.open(archive, backupKey, { wholePacks: true });
  const backup = await chosenBackup(repository, undefined);
  const folder = join(config.data_dir, WORK);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    const { bavail, bsize } = await statfs(folder);
    const isWhole = backup.bytes <= Math.min(BYTES_MAX, bavail * bsize * FREE_PART_MAX);
    await restoreRecords(repository, backup, { dataDir: folder, clock: systemClock, signal });
    const wants = (path: string): boolean => ![MASTER_KEY_FILE, RECORDS_FILE].includes(path) && !isRecordTable(path);
    if (isWhole) await gatherBackup(repository, backup, folder, { wants, signal });
    const faults = [
      ...(await recordFaults(folder, backup, isWhole, signal)),
      ...(isWhole ? [] : await packFaults(archive, backupKey, signal)),
    ];
    const what = isWhole ? `${backup.files} files of ${mebibytes(backup.bytes)}` : "the records, and 1 % of the packs";
    const detail = faults.length === 0 ? `restored and checked ${what}` : faults.join("; ");
    return { ok: faults.length === 0, backup: backup.name, detail };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens the restored records as a start does, and compares them with the facts of the backup. */
async function recordFaults(
  folder: string,
  { facts }: Backup,
  isWhole: boolean,
  signal: AbortSignal,
): Promise<string[]> {
  const faults: string[] = [];
  const copy = openRecordsCopy(join(folder, RECORDS_FILE));
  const counts = await countRows(copy.read).finally(() => copy.close());
  for (const [table, count] of Object.entries(facts.counts))
    if (counts[table] !== count) faults.push(`${table} has ${counts[table] ?? 0} rows instead of ${count}`);
  const metadata = await openMetadata({ url: undefined, dataDir: folder, clock: systemClock });
  try {
    const say = (line: string): void => {
      if (!line.startsWith("ok")) faults.push(line);
    };
    await checkAudit(metadata, say);
    if (isWhole) await checkContent(metadata, folder, say, signal);
  } finally {
    await metadata.close();
  }
  return faults;
}

/** Reads other packs on each day. */
async function packFaults(archive: Archive, backupKey: string, signal: AbortSignal): Promise<readonly string[]> {
  const turn = Math.floor(systemClock.nowMs() / DAY_MS);
  return (await verifyRepository(archive, { backupKey, part: PACKS_PART, turn, signal })).faults;
}
