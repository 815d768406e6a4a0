import { mkdir, open, readdir, rename, rm, stat, unlink, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isId, newId } from "#kernel/ids.ts";
import { healthReasonOf } from "#kernel/store-health.ts";
import type { Clock } from "#kernel/time.ts";
import type {
  BlobDriver,
  ByteSource,
  CreateOptions,
  DeletedBlob,
  DriverHealth,
  StoredBlob,
  StoredRange,
  StrayFile,
} from "../driver.ts";
import {
  areDeletionsHeld,
  lockDirectory,
  probeWrite,
  readTextIfPresent,
  syncDirectory,
  writeFileDurably,
} from "#stores/directory/index.ts";
import { BlobDamaged, codeOf, ignoreAbsent, storageProblem } from "../errors.ts";
import { blobAt, blobPath, blobPathBeside, layoutOf, type Layout } from "../layout.ts";
import type { ObjectLog } from "../settings.ts";
import { DirectoryFlushes } from "./flushes.ts";
import { FileSink, type FileOperations } from "./sink.ts";
import { SpaceGuard } from "./space.ts";

export interface FilesystemOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: ObjectLog;
  /** Writes are refused while the disk has less free space than this. */
  readonly diskFreeBytesMin: number;
  /** Takes no lock and creates nothing, so that it works beside a server. */
  readonly readOnly?: boolean;
  /** Receives the seconds of the flush of each probe. */
  readonly flushed?: (seconds: number) => void;
  readonly operations?: FileOperations;
}

/** The number of consecutive blobs in one directory. */
const NEIGHBOURS = 256;

/** The disk operations of writes and deletions. */
export const OPERATIONS: FileOperations = {
  open: (path) => open(path, "wx", 0o600),
  writev: async (handle, chunks, position) => (await handle.writev(chunks, position)).bytesWritten,
  datasync: (handle) => handle.datasync(),
  rename,
  syncDirectory,
  remove: unlink,
};

/** Opens the directory `objects` of the data directory. Rejects when another server has it open. */
export async function openFilesystem(options: FilesystemOptions): Promise<BlobDriver> {
  const layout = layoutOf(options.dataDir);
  if (options.readOnly === true) return new FilesystemDriver(options, layout, await readStoreId(layout), () => {});
  await mkdir(layout.root, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(layout.lock, "objects");
  try {
    await rm(layout.tmp, { recursive: true, force: true });
    await mkdir(layout.tmp, { mode: 0o700 });
    await mkdir(layout.blobs, { recursive: true, mode: 0o700 });
    // The directory of an earlier process may not be on disk yet.
    await syncDirectory(layout.blobs);
    await syncDirectory(layout.root);
    return new FilesystemDriver(options, layout, await storeIdOf(layout, options.clock), unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function readStoreId(layout: Layout): Promise<string> {
  const id = (await readTextIfPresent(layout.storeId))?.trim() ?? "";
  if (id !== "" && !isId("store", id)) {
    throw new Error(`cannot open the objects directory: ${layout.storeId} is damaged; restore it from a backup`);
  }
  return id;
}

/** Returns the id of the store. The first start creates it. It moves with the directory and is part of its backups. */
async function storeIdOf(layout: Layout, clock: Clock): Promise<string> {
  const kept = await readStoreId(layout);
  if (kept !== "") return kept;
  for (const name of await readdir(layout.blobs)) {
    if ((await readdir(join(layout.blobs, name))).length === 0) continue;
    const cause = `${layout.storeId} is missing, but there are blobs beside it`;
    throw new Error(`cannot open the objects directory: ${cause}; restore the file from a backup`);
  }
  const id = newId("store", clock.nowMs());
  await writeFileDurably(layout.storeId, `${id}\n`);
  return id;
}

class FilesystemDriver implements BlobDriver {
  readonly kind = "filesystem";
  readonly exclusive = true;
  readonly direct = null;
  readonly storeId: string;
  readonly #options: FilesystemOptions;
  readonly #layout: Layout;
  readonly #operations: FileOperations;
  readonly #space: SpaceGuard;
  readonly #unlock: () => void;
  readonly #shards = new Map<string, Promise<void>>();
  readonly #flushes: DirectoryFlushes;
  #neighbour = "";
  #neighbours = 0;

  constructor(options: FilesystemOptions, layout: Layout, storeId: string, unlock: () => void) {
    this.storeId = storeId;
    this.#options = options;
    this.#layout = layout;
    this.#operations = options.operations ?? OPERATIONS;
    this.#flushes = new DirectoryFlushes((path) => this.#operations.syncDirectory(path));
    this.#space = new SpaceGuard(layout.root, options.diskFreeBytesMin);
    this.#unlock = unlock;
  }

  /** Puts blobs that are created at the same time into the same directory, to flush fewer directories. */
  newId(nowMs: number): string {
    const id = newId("blob", nowMs);
    if (this.#neighbours++ % NEIGHBOURS === 0) this.#neighbour = id;
    return blobPathBeside(id, this.#neighbour);
  }

  async create(id: string, { size, recorded }: CreateOptions): Promise<FileSink> {
    await this.#space.reserve(size ?? 0);
    const prepared = Promise.all([recorded, this.#makeShard(dirname(this.#path(id)))]);
    prepared.catch(() => {}); // The sink awaits these promises before it commits.
    return FileSink.open({
      operations: this.#operations,
      temporary: join(this.#layout.tmp, id),
      final: this.#path(id),
      prepared,
      flushDirectory: (path) => this.#flushes.flush(path),
      checkSpace: (bytes) => this.#space.used(bytes),
    });
  }

  async open(id: string, { size, start, length }: StoredRange): Promise<ByteSource> {
    const handle = await open(this.#path(id), "r").catch((error: unknown) => {
      throw codeOf(error) === "ENOENT"
        ? new BlobDamaged(id, "its file is missing", { cause: error })
        : storageProblem(error);
    });
    try {
      const { size: found } = await handle.stat();
      if (found !== size) throw new BlobDamaged(id, `its file has ${found} bytes, not ${size}`);
      return new FileSource(id, handle, start, start + length);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async delete(blobs: readonly DeletedBlob[]): Promise<string[]> {
    const operations = this.#operations;
    const deleted = new Map<string, string[]>();
    // The records of a backup may name complete files. No backup has unfinished files.
    const isHeld = areDeletionsHeld(this.#options.dataDir);
    for (const { id, complete } of blobs) {
      if (isHeld && complete) continue;
      try {
        if (!complete) await operations.remove(join(this.#layout.tmp, id)).catch(ignoreAbsent);
        await operations.remove(this.#path(id)).catch(ignoreAbsent);
        const directory = dirname(this.#path(id));
        deleted.set(directory, [...(deleted.get(directory) ?? []), id]);
      } catch (error) {
        this.#options.log.warn({ err: error, blob: id }, "cannot delete a blob; the deletion will be retried");
      }
    }
    // A write that ended early has not created its directory.
    for (const directory of deleted.keys()) await operations.syncDirectory(directory).catch(ignoreAbsent);
    return [...deleted.values()].flat();
  }

  async sizeOf(id: string): Promise<number | undefined> {
    return (await stat(this.#path(id)).catch(ignoreAbsent))?.size;
  }

  async *list(): AsyncGenerator<StoredBlob | StrayFile> {
    for (const name of (await readdir(this.#layout.blobs).catch(ignoreAbsent)) ?? []) {
      const directory = join(this.#layout.blobs, name);
      const entries = await readdir(directory).catch((error: unknown) =>
        codeOf(error) === "ENOTDIR" ? undefined : Promise.reject(error as Error),
      );
      if (entries === undefined) yield { stray: directory };
      for (const entry of entries ?? []) yield* this.#entry(`${name}/${entry}`);
    }
  }

  async check(): Promise<DriverHealth> {
    try {
      await this.#space.reserve(0);
      this.#options.flushed?.(await probeWrite(this.#layout.tmp));
      return { ok: true, detail: "blobs can be written", reason: null };
    } catch (error) {
      return { ok: false, detail: (error as Error).message, reason: healthReasonOf(error) };
    }
  }

  async close(): Promise<void> {
    this.#unlock();
  }

  /** Creates the directory of a blob before its first blob. Its own name must be on disk as well. */
  async #makeShard(path: string): Promise<void> {
    const made = this.#shards.get(path);
    if (made !== undefined) return made;
    const making = mkdir(path, { recursive: true, mode: 0o700 }).then((first) =>
      first === undefined ? undefined : this.#operations.syncDirectory(this.#layout.blobs),
    );
    this.#shards.set(path, making);
    making.catch(() => this.#shards.delete(path));
    return making;
  }

  async *#entry(path: string): AsyncGenerator<StoredBlob | StrayFile> {
    const absolute = join(this.#layout.blobs, path);
    const found = await stat(absolute).catch(ignoreAbsent);
    if (found === undefined) return; // deleted meanwhile
    const id = blobAt(path);
    yield id === undefined || !found.isFile() ? { stray: absolute } : { id, bytes: found.size };
  }

  #path(id: string): string {
    return join(this.#layout.blobs, blobPath(id));
  }
}

/** Reads through a file handle, because the file may be deleted meanwhile. */
class FileSource implements ByteSource {
  readonly #id: string;
  readonly #handle: FileHandle;
  readonly #end: number;
  #position: number;

  constructor(id: string, handle: FileHandle, start: number, end: number) {
    this.#id = id;
    this.#handle = handle;
    this.#position = start;
    this.#end = end;
  }

  async read(buffer: Buffer): Promise<number> {
    const wanted = Math.min(buffer.length, this.#end - this.#position);
    if (wanted === 0) return 0;
    const { bytesRead } = await this.#handle.read(buffer, 0, wanted, this.#position).catch((error: unknown) => {
      throw new BlobDamaged(this.#id, `its file can't be read (${String(codeOf(error))})`, { cause: error });
    });
    if (bytesRead === 0) throw new BlobDamaged(this.#id, `its file was cut to ${this.#position} bytes`);
    this.#position += bytesRead;
    return bytesRead;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}
