import { createReadStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { masterKeyIdOf } from "#domain/identity/index.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import { holdDeletions, type KeptFile } from "#stores/directory/index.ts";
import {
  copySqliteRecords,
  countRows,
  openRecordsCopy,
  postgresTables,
  recordLines,
  RECORDS_FILE,
  withRecordSnapshot,
  type Reader,
} from "#stores/metadata/index.ts";
import { blobsElsewhere, objectFiles } from "#stores/objects/index.ts";
import { FileListWriter, RepositoryWriter, writeBackup } from "#stores/repository/index.ts";
import { telemetryFiles } from "#stores/telemetry/index.ts";
import { MASTER_KEY_FILE, type Backup, type BackupFacts } from "./facts.ts";
import { recordsPath } from "./records.ts";

export interface BackupOptions {
  readonly dataDir: string;
  /** The address of PostgreSQL. Undefined: the records are in SQLite in the data directory. */
  readonly url?: string | undefined;
  readonly archive: Archive;
  readonly backupKey: string;
  /** The master key under a passphrase. Null: the backup has no master key. */
  readonly wrappedMasterKey: string | null;
  readonly version: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/** The copy of the records during a backup. */
const WORK = "backup.work";
const READ_BYTES = 1024 * 1024;

/**
 * Backs up a data directory while the server runs, with everything that was acknowledged before the start. Deletions
 * wait from before the records are copied until all files of those records are in the backup. An early end leaves
 * nothing that counts as a backup.
 * @throws Error when a file of the records is missing, or another backup of the directory runs
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { dataDir, archive, backupKey, clock } = options;
  const startedMs = clock.nowMs();
  const release = holdDeletions(dataDir);
  try {
    const writer = await RepositoryWriter.open(archive, backupKey, { clock });
    try {
      return await fill(options, writer, startedMs);
    } finally {
      await writer.close();
    }
  } finally {
    release();
  }
}

async function fill(options: BackupOptions, writer: RepositoryWriter, startedMs: number): Promise<Backup> {
  const { archive, clock, wrappedMasterKey } = options;
  const list = new FileListWriter(writer);
  if (wrappedMasterKey !== null) await list.addChanging(MASTER_KEY_FILE, one(Buffer.from(wrappedMasterKey)));
  const facts = await (options.url === undefined ? addSqlite(options, list) : addPostgres(options, options.url, list));
  const lists = await list.end();
  await writer.flush();
  return writeBackup(archive, writer.keys, {
    startedMs,
    started_at: isoFromMs(startedMs),
    finished_at: isoFromMs(clock.nowMs()),
    lists,
    files: list.files,
    bytes: list.bytes,
    added_bytes: writer.writtenBytes,
    facts,
  });
}

/** Copies the records of one moment to a file, adds it, and adds the files that the copy names. */
async function addSqlite(options: BackupOptions, list: FileListWriter): Promise<BackupFacts> {
  const { dataDir } = options;
  const folder = join(dataDir, WORK);
  // What an interrupted backup has left.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  try {
    const path = join(folder, RECORDS_FILE);
    await copySqliteRecords(dataDir, path);
    await list.addChanging(RECORDS_FILE, createReadStream(path, { highWaterMark: READ_BYTES }));
    const copied = openRecordsCopy(path);
    try {
      for await (const file of filesOf(dataDir, copied.read)) await addFile(options, list, file);
      return await factsOf(options, "sqlite", copied.read);
    } finally {
      copied.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies each table of one moment as lines. Files are added afterwards, so that the transaction ends early. */
async function addPostgres(options: BackupOptions, url: string, list: FileListWriter): Promise<BackupFacts> {
  const { dataDir, signal } = options;
  const { facts, files } = await withRecordSnapshot({ url, dataDir }, async (read) => {
    for (const table of await postgresTables(read)) {
      signal?.throwIfAborted();
      await list.addLines(recordsPath(table.table), recordLines(read, table));
    }
    return {
      facts: await factsOf(options, "postgres", read),
      files: await Array.fromAsync(filesOf(dataDir, read)),
    };
  });
  for (const file of files) await addFile(options, list, file);
  return facts;
}

async function factsOf(
  { dataDir, version, wrappedMasterKey }: BackupOptions,
  records: BackupFacts["records"],
  read: Reader,
): Promise<BackupFacts> {
  return {
    version,
    records,
    master_key: wrappedMasterKey !== null,
    master_key_id: (await masterKeyIdOf(read)) ?? null,
    blobs_elsewhere: await blobsElsewhere(dataDir, read),
    counts: await countRows(read),
  };
}

async function* filesOf(dataDir: string, records: Reader): AsyncGenerator<KeptFile> {
  yield* telemetryFiles(dataDir, records);
  yield* objectFiles(dataDir, records);
}

async function addFile(
  { dataDir, signal }: BackupOptions,
  list: FileListWriter,
  { path, how, size, sha256 }: KeptFile,
): Promise<void> {
  signal?.throwIfAborted();
  const at = join(dataDir, path);
  const never = how === "link" && size !== null;
  if (never) await list.addFixed({ path, size, sha256 }, () => createReadStream(at, { highWaterMark: READ_BYTES }));
  else await list.addChanging(path, contentNow(at));
}

/** Yields the content that the file has now, although it may grow. */
async function* contentNow(path: string): AsyncGenerator<Uint8Array> {
  const { size } = await stat(path);
  if (size === 0) return;
  yield* createReadStream(path, { highWaterMark: READ_BYTES, end: size - 1 }) as AsyncIterable<Buffer>;
}

async function* one(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
