import { createReadStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { masterKeyIdOf } from "#domain/identity/index.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import { holdDeletions, type KeptFile } from "#stores/directory/index.ts";
import { copySqliteRecords, countRows, openRecordsCopy, RECORDS_FILE, type Reader } from "#stores/metadata/index.ts";
import { blobsElsewhere, objectFiles } from "#stores/objects/index.ts";
import { FileListWriter, RepositoryWriter, writeBackup } from "#stores/repository/index.ts";
import { telemetryFiles } from "#stores/telemetry/index.ts";
import { MASTER_KEY_FILE, type Backup, type BackupFacts } from "./facts.ts";

export interface BackupOptions {
  readonly dataDir: string;
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
  const { archive, clock, version, wrappedMasterKey } = options;
  const list = new FileListWriter(writer);
  if (wrappedMasterKey !== null) await list.addChanging(MASTER_KEY_FILE, one(Buffer.from(wrappedMasterKey)));
  const facts = await withCopiedRecords(options, list, async (records): Promise<BackupFacts> => {
    await addFiles(options, list, records);
    return {
      version,
      records: "sqlite",
      master_key: wrappedMasterKey !== null,
      master_key_id: (await masterKeyIdOf(records)) ?? null,
      blobs_elsewhere: await blobsElsewhere(options.dataDir, records),
      counts: await countRows(records),
    };
  });
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

/** Copies the records of one moment, adds them, and opens the copy until `work` ends. */
async function withCopiedRecords<T>(
  { dataDir }: BackupOptions,
  list: FileListWriter,
  work: (records: Reader) => Promise<T>,
): Promise<T> {
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
      return await work(copied.read);
    } finally {
      copied.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function addFiles({ dataDir, signal }: BackupOptions, list: FileListWriter, records: Reader): Promise<void> {
  for (const files of [telemetryFiles(dataDir, records), objectFiles(dataDir, records)])
    for await (const file of files) {
      signal?.throwIfAborted();
      await addFile(dataDir, list, file);
    }
}

async function addFile(dataDir: string, list: FileListWriter, { path, how, size, sha256 }: KeptFile): Promise<void> {
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
