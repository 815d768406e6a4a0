export { backupNames, readBackup, writeBackup, type BackupRecord } from "./backups.ts";
export { openKeys as openRepositoryKeys, readConfig } from "./config.ts";
export { backupFiles, fileContent, FileListWriter, type OpenBackupFile } from "./files.ts";
export { isBackupKey, keyIdOf, newBackupKey } from "./keys.ts";
export { startOfBackup } from "./layout.ts";
export { pruneRepository, type Pruned } from "./prune.ts";
export { Repository, RepositoryWriter } from "./repository.ts";
export { spareBackups, type Retention } from "./retention.ts";
export { verifyRepository, type Verification } from "./verify.ts";
