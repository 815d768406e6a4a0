import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { ignoreAbsent, storageProblem } from "../errors.ts";
import type { BlobSink } from "../driver.ts";

/** The calls of a write, in order. Tests replace them to simulate a failing disk or a crash. */
export interface FileOperations {
  open(path: string): Promise<FileHandle>;
  writev(handle: FileHandle, chunks: readonly Uint8Array[], position: number): Promise<number>;
  datasync(handle: FileHandle): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

export interface FileSinkOptions {
  readonly operations: FileOperations;
  readonly temporary: string;
  readonly final: string;
  /** Resolves when the records name the blob and its directory exists. */
  readonly prepared: Promise<unknown>;
  /** Resolves when the names in a directory are on disk. */
  readonly flushDirectory: (path: string) => Promise<void>;
  /**
   * Called repeatedly during a write, with the number of bytes since the last call. Throws when the disk has too little
   * space.
   */
  readonly checkSpace: (bytes: number) => Promise<void>;
}

/**
 * The disk starts to flush after this many bytes, while more arrive. So the last flush is short, and small files do not
 * wait for a large one.
 */
const FLUSH_BYTES = 8 * 1024 * 1024;

/** Writes a blob to a file: under a temporary name, which is flushed and renamed before the directory is flushed. */
export class FileSink implements BlobSink {
  readonly keepsChunks = false;
  readonly #options: FileSinkOptions;
  #handle: FileHandle | undefined;
  #position = 0;
  #flushed = 0;
  #flushing: Promise<void> | undefined;
  #renamed = false;

  private constructor(options: FileSinkOptions, handle: FileHandle) {
    this.#options = options;
    this.#handle = handle;
  }

  static async open(options: FileSinkOptions): Promise<FileSink> {
    try {
      return new FileSink(options, await options.operations.open(options.temporary));
    } catch (error) {
      throw storageProblem(error);
    }
  }

  async write(chunks: readonly Uint8Array[], bytes: number): Promise<void> {
    try {
      await this.#options.checkSpace(bytes);
      await this.#writeAll(chunks, bytes);
      await this.#flushEarly();
    } catch (error) {
      throw storageProblem(error);
    }
  }

  async commit(): Promise<void> {
    const { operations, temporary, final, prepared, flushDirectory } = this.#options;
    const handle = this.#opened();
    try {
      await this.#flushing;
      await operations.datasync(handle);
      this.#handle = undefined;
      await handle.close();
      await prepared;
      await operations.rename(temporary, final);
      this.#renamed = true;
      await flushDirectory(dirname(final));
    } catch (error) {
      throw storageProblem(error);
    }
  }

  async abort(): Promise<void> {
    const { operations, temporary, final } = this.#options;
    const handle = this.#handle;
    this.#handle = undefined;
    await this.#flushing?.catch(() => {});
    await handle?.close().catch(() => {});
    await operations.remove(this.#renamed ? final : temporary).catch(ignoreAbsent);
  }

  async #writeAll(chunks: readonly Uint8Array[], bytes: number): Promise<void> {
    const { operations } = this.#options;
    const handle = this.#opened();
    let done = await operations.writev(handle, chunks, this.#position);
    if (done < bytes) {
      // A short write usually means that the disk is nearly full. The next write then fails.
      const all = Buffer.concat(chunks);
      while (done < bytes) done += await operations.writev(handle, [all.subarray(done)], this.#position + done);
    }
    this.#position += bytes;
  }

  /** Runs one early flush at a time, so that a slow disk slows down the sender. */
  async #flushEarly(): Promise<void> {
    if (this.#position - this.#flushed < FLUSH_BYTES) return;
    await this.#flushing;
    this.#flushed = this.#position;
    this.#flushing = this.#options.operations.datasync(this.#opened());
    this.#flushing.catch(() => {}); // the next flush or the end reports it
  }

  #opened(): FileHandle {
    if (this.#handle === undefined) throw new Error("cannot write the blob: it is complete, or was aborted");
    return this.#handle;
  }
}
