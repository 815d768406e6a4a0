import { constants } from "node:fs";
import { copyFile, link, mkdir, open, rm, stat, type FileHandle } from "node:fs/promises";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { masterKeyIdOf } from "#domain/identity/index.ts";
import type { Clock } from "#kernel/time.ts";
import { holdDeletions, syncDirectory, type KeptFile } from "#stores/directory/index.ts";
import { copySqliteRecords, openRecordsCopy, RECORDS_FILE, type Reader } from "#stores/metadata/index.ts";
import { blobsElsewhere, objectFiles } from "#stores/objects/index.ts";
import { telemetryFiles } from "#stores/telemetry/index.ts";
import { backupName, DATA, FILES, sha256Of, writeManifest, type ListedFile, type Manifest } from "./manifest.ts";

export interface BackupOptions {
  readonly dataDir: string;
  /** The directory of backups; created if absent. */
  readonly to: string;
  readonly withMasterKey: boolean;
  readonly version: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export interface MadeBackup {
  readonly name: string;
  readonly manifest: Manifest;
}

const MASTER_KEY = "master.key";

/**
 * Backs up a data directory while the server runs, with everything that was acknowledged before the start. Deletions
 * wait from before the records are copied until all files of those records are in the backup. An early end leaves a
 * directory without `backup.json`.
 * @throws Error when a file of the records is missing, the disk is full, or another backup runs
 */
export async function createBackup(options: BackupOptions): Promise<MadeBackup> {
  const { dataDir, to, clock } = options;
  const startedMs = clock.nowMs();
  const release = holdDeletions(dataDir);
  try {
    await mkdir(to, { recursive: true, mode: 0o700 });
    const name = await newDirectory(to, startedMs);
    const directory = join(to, name);
    try {
      const manifest = await fill(options, directory, startedMs);
      await writeManifest(directory, manifest);
      await syncDirectory(to);
      return { name, manifest };
    } catch (error) {
      await rm(directory, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
  } finally {
    release();
  }
}

async function newDirectory(to: string, startedMs: number): Promise<string> {
  for (let n = 1; ; n++) {
    const name = `${backupName(startedMs)}${n === 1 ? "" : `-${n}`}`;
    try {
      await mkdir(join(to, name), { mode: 0o700 });
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

async function fill(options: BackupOptions, directory: string, startedMs: number): Promise<Manifest> {
  const { dataDir, clock, version, signal, withMasterKey } = options;
  const copy = new Copy(dataDir, join(directory, DATA), await open(join(directory, FILES), "wx", 0o600));
  try {
    await copy.begin();
    const records = join(directory, DATA, RECORDS_FILE);
    copySqliteRecords(dataDir, records);
    await copy.listMade(RECORDS_FILE);
    const copied = openRecordsCopy(records);
    let elsewhere: number;
    let masterKeyId: string | null;
    try {
      for await (const file of filesOf(dataDir, copied.read, withMasterKey)) {
        signal?.throwIfAborted();
        await copy.keep(file);
      }
      elsewhere = await blobsElsewhere(dataDir, copied.read);
      masterKeyId = (await masterKeyIdOf(copied.read)) ?? null;
    } finally {
      copied.close();
    }
    return {
      format: 1,
      version,
      started_at: new Date(startedMs).toISOString(),
      ...(await copy.end()),
      finished_at: new Date(clock.nowMs()).toISOString(),
      master_key: withMasterKey,
      master_key_id: masterKeyId,
      blobs_elsewhere: elsewhere,
    };
  } finally {
    await copy.close();
  }
}

async function* filesOf(dataDir: string, records: Reader, withMasterKey: boolean): AsyncGenerator<KeptFile> {
  if (withMasterKey) yield { path: MASTER_KEY, how: "copy", size: null, sha256: null };
  yield* telemetryFiles(dataDir, records);
  yield* objectFiles(dataDir, records);
}

/** A copy of some files of a directory, with a list of them. */
class Copy {
  readonly #from: string;
  readonly #to: string;
  readonly #list: FileHandle;
  readonly #listed = createHash("sha256");
  readonly #directories = new Set<string>();
  #canLink = true;
  #files = 0;
  #bytes = 0;
  #linkedBytes = 0;

  constructor(from: string, to: string, list: FileHandle) {
    this.#from = from;
    this.#to = to;
    this.#list = list;
  }

  async begin(): Promise<void> {
    await this.#directory(this.#to);
  }

  /** Adds a file that is already in the backup to the list. */
  async listMade(path: string): Promise<void> {
    await flush(join(this.#to, path));
    await this.#note(path, { size: null, sha256: null });
  }

  /** @throws Error when the file is missing, or differs from the records */
  async keep({ path, how, ...known }: KeptFile): Promise<void> {
    const [from, to] = [join(this.#from, path), join(this.#to, path)];
    await this.#directory(dirname(to));
    if (how === "link" && this.#canLink && (await this.#link(from, to))) {
      this.#linkedBytes += (await this.#note(path, known)).size;
      return;
    }
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await flush(to);
    // Reads the copy again, to compare it with the digest in the records.
    const { sha256 } = await this.#note(path, { ...known, sha256: null });
    if (known.sha256 !== null && known.sha256 !== sha256) throw new Error(`cannot back up ${path}: it was altered`);
  }

  /** Resolves when everything is on disk. */
  async end(): Promise<Pick<Manifest, "files" | "bytes" | "linked_bytes" | "files_sha256">> {
    await this.#list.sync();
    for (const directory of this.#directories) await syncDirectory(directory);
    await syncDirectory(dirname(this.#to));
    const [files, bytes, linked] = [this.#files, this.#bytes, this.#linkedBytes];
    return { files, bytes, linked_bytes: linked, files_sha256: this.#listed.digest("hex") };
  }

  close(): Promise<void> {
    return this.#list.close();
  }

  async #directory(path: string): Promise<void> {
    if (this.#directories.has(path)) return;
    if (path !== this.#to) await this.#directory(dirname(path));
    await mkdir(path, { recursive: true, mode: 0o700 });
    this.#directories.add(path);
  }

  /** Links the file. Returns false if that is not possible. The caller then copies the file. */
  async #link(from: string, to: string): Promise<boolean> {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP"].includes(code)) this.#canLink = false;
      else if (code !== "EMLINK") throw error;
      return false;
    }
  }

  async #note(path: string, known: Pick<KeptFile, "size" | "sha256">): Promise<ListedFile> {
    const at = join(this.#to, path);
    const { size } = await stat(at);
    if (known.size !== null && known.size !== size)
      throw new Error(`cannot back up ${path}: it has ${size} bytes, but the records say ${known.size}`);
    const file = { path, size, sha256: known.sha256 ?? (await sha256Of(at)) };
    const line = `${JSON.stringify(file)}\n`;
    this.#listed.update(line);
    await this.#list.write(line);
    this.#files += 1;
    this.#bytes += size;
    return file;
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
