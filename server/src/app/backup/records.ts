import type { Clock } from "#kernel/time.ts";
import { loadRecords, openMetadata, RECORDS_FILE, type MetadataStore } from "#stores/metadata/index.ts";
import { backupFiles, fileContent, fileLines, type OpenBackupFile, type Repository } from "#stores/repository/index.ts";
import type { Backup } from "./facts.ts";
import { gatherBackup } from "./restore.ts";

/** Records of PostgreSQL, each table in a file. */
const TABLES = /^records\/([a-z][a-z0-9_]*)\.ndjson$/;
/** The rows arrive in one transaction. */
const WAIT_MS = 3_600_000;

export function recordsPath(table: string): string {
  return `records/${table}.ndjson`;
}

/** Whether a file of a backup has records, which a data directory does not have. */
export function isRecordTable(path: string): boolean {
  return TABLES.test(path);
}

export interface RecordsTarget {
  /** The data directory, for SQLite. */
  readonly dataDir: string;
  /** Undefined: SQLite. */
  readonly url?: string | undefined;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Restores the records of a backup into a new data directory, or a database without organizations and people. Records of
 * PostgreSQL can be restored into SQLite, too.
 * @throws Error when a byte was altered, the database is not empty, or another version has made the records
 */
export async function restoreRecords(repository: Repository, backup: Backup, target: RecordsTarget): Promise<void> {
  const { dataDir, url, clock, signal } = target;
  if (backup.facts.records === "sqlite") {
    if (url !== undefined) throw new Error("the backup has records of SQLite: restore it without database_url");
    return gatherBackup(repository, backup, dataDir, { wants: (path) => path === RECORDS_FILE, signal });
  }
  const copied = new Map<string, () => AsyncIterable<string>>();
  for await (const file of backupFiles(repository, backup)) {
    const table = TABLES.exec(file.path)?.[1];
    if (table !== undefined) copied.set(table, () => checkedLines(repository, file, signal));
  }
  const metadata = await openMetadata({ url, dataDir, clock, waitMs: WAIT_MS, readTimeoutMs: WAIT_MS });
  try {
    await requireEmpty(metadata);
    await loadRecords(metadata, copied);
  } finally {
    await metadata.close();
  }
}

async function* checkedLines(
  repository: Repository,
  file: OpenBackupFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<string> {
  for await (const line of fileLines(fileContent(repository, file))) {
    signal?.throwIfAborted();
    yield line;
  }
}

async function requireEmpty({ read }: MetadataStore): Promise<void> {
  for (const table of ["organization", "person"] as const)
    if ((await read.selectFrom(table).select("id").limit(1).executeTakeFirst()) !== undefined)
      throw new Error("the database is not empty: name a new one with --database-url");
}
