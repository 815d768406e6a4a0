import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "#kernel/time.ts";
import { backupNames, startOfBackup } from "#stores/repository/index.ts";
import {
  isBackupKeyConfirmed,
  isBucketPlace,
  openBackupPlace,
  presentBackupKey,
  readBackupMemory,
} from "../../backup/index.ts";
import { ok, warn, type Check, type CheckContext, type Found } from "./finding.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Without a schedule, the last backup is old after this time. */
const OLD_MS = 2 * DAY_MS;
const TRIAL_OLD_MS = 8 * DAY_MS;

/** Checks that there are backups, and that they can be restored. */
export const BACKUP_CHECKS: readonly Check[] = [
  { name: "backups", mend: "let the server reach the place of backup_dir", run: backups },
];

type Config = CheckContext["config"];

async function backups({ config }: CheckContext): Promise<Found[]> {
  const { backup_dir: place, data_dir: dataDir, database_url: url } = config;
  if (url === null && !existsSync(join(dataDir, "mooring.db"))) return [ok("nothing is stored yet")];
  if (place === null)
    return [
      warn("no place for backups is set", "set backup_dir, or run mooring backup --to PLACE with your own schedule"),
    ];
  return [
    await lastBackup(config, place),
    ...(await keyFound(config)),
    ...(await placeFound(dataDir, place)),
    ...(await trialFound(dataDir)),
  ];
}

async function lastBackup(config: Config, place: string): Promise<Found> {
  const archive = await openBackupPlace(config, place);
  try {
    const [newest] = await backupNames(archive);
    if (newest === undefined) return warn(`there is no backup in ${place}`, "mooring backup");
    const ageMs = systemClock.nowMs() - startOfBackup(newest);
    const { backup_interval_hours: hours } = config;
    const isOld = ageMs > (hours === 0 ? OLD_MS : 2 * hours * HOUR_MS + HOUR_MS);
    const detail = `the last backup is ${newest}, ${ageText(ageMs)} old`;
    return isOld
      ? warn(detail, "mooring backup shows why it fails; the page Instance shows the last failure")
      : ok(detail);
  } finally {
    archive.close();
  }
}

function ageText(ms: number): string {
  return ms < 2 * DAY_MS ? `${Math.max(0, Math.floor(ms / HOUR_MS))} hours` : `${Math.floor(ms / DAY_MS)} days`;
}

async function keyFound(config: Config): Promise<Found[]> {
  if ((await presentBackupKey(config)) === undefined || (await isBackupKeyConfirmed(config))) return [];
  return [
    warn(
      "nobody has confirmed a copy of backup.key: if this disk is lost, no backup can be restored",
      "mooring backup key prints it; after you have stored it elsewhere: mooring backup key --confirm FILE",
    ),
  ];
}

async function placeFound(dataDir: string, place: string): Promise<Found[]> {
  if (isBucketPlace(place) || !existsSync(place)) return [];
  const [data, backup] = [await stat(dataDir), await stat(place)];
  if (data.dev !== backup.dev) return [];
  return [
    warn(
      `${place} is on the same disk as the data directory`,
      "use another disk or an S3 store, or copy the directory to another machine",
    ),
  ];
}

async function trialFound(dataDir: string): Promise<Found[]> {
  const { trial, last_good_trial_at: lastGood } = await readBackupMemory(dataDir);
  if (trial === null) return [];
  if (!trial.ok)
    return [warn(`the last trial restore failed: ${trial.detail}`, "mooring backup verify; mooring backup trial")];
  const ageMs = systemClock.nowMs() - Date.parse(lastGood ?? trial.at);
  return ageMs > TRIAL_OLD_MS
    ? [warn(`the last trial restore is ${ageText(ageMs)} old`, "mooring backup trial")]
    : [ok(`the last trial restore succeeded: ${trial.detail}`)];
}
