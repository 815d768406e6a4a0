export { createBackup } from "./create.ts";
export { addDeletions, applyDeletions, DELETIONS_FILE, noteDeletions, readDeletions } from "./deletions.ts";
export { keptBackups } from "./kept.ts";
export { deferEndOfLinks, endDeferredLinks } from "./links.ts";
export type { Manifest as BackupManifest } from "./manifest.ts";
export { BackupRunner } from "./runner.ts";
export { refuseHalfRestored, restoreBackup } from "./restore.ts";
