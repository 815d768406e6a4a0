export { createBackup } from "./create.ts";
export {
  addDeletions,
  applyDeletions,
  DELETIONS_FILE,
  noteDeletions,
  noteDeletionsIn,
  readDeletions,
  readDeletionsIn,
} from "./deletions.ts";
export type { DirectoryManifest } from "./directory-manifest.ts";
export { MASTER_KEY_FILE, type Backup, type BackupFacts } from "./facts.ts";
export { backupKeyFor, confirmBackupKey, isBackupKeyConfirmed, presentBackupKey, requireBackupKey } from "./key.ts";
export { chosenBackup, listBackups, type ListedBackup } from "./list.ts";
export { deferEndOfLinks, endDeferredLinks } from "./links.ts";
export type { PartName } from "./part-name.ts";
export { PartRestorer } from "./restorer.ts";
export { isBucketPlace, openBackupPlace } from "./place.ts";
export { isRecordTable, restoreRecords } from "./records.ts";
export { retentionOf } from "./retention.ts";
export { BackupRunner } from "./runner.ts";
export { fillDataDirectory, gatherBackup, refuseHalfRestored } from "./restore.ts";
export { restoreDirectory } from "./restore-directory.ts";
export { backupsSince } from "./since.ts";
export { changeBackupMemory, readBackupMemory, type TrialResult } from "./state.ts";
