import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { writeAll } from "../write-all.ts";

/** A file that queries may read. It is deleted when it is no longer needed and the last query has released it. */
export class HeldFile {
  readonly path: string;
  #holders = 0;
  #dropped = false;
  #gone: () => void = () => {};
  readonly #deleted: (path: string, error: unknown) => void;

  /** `deleted` is called when a deletion failed. */
  constructor(path: string, deleted: (path: string, error: unknown) => void) {
    this.path = path;
    this.#deleted = deleted;
  }

  hold(): void {
    this.#holders += 1;
  }

  letGo(): void {
    this.#holders -= 1;
    this.#deleteWhenFree();
  }

  /** `gone` is called once the file is deleted. */
  drop(gone: () => void = () => {}): void {
    this.#dropped = true;
    this.#gone = gone;
    this.#deleteWhenFree();
  }

  #deleteWhenFree(): void {
    if (!this.#dropped || this.#holders > 0) return;
    rm(this.path, { force: true }).then(this.#gone, (error: unknown) => this.#deleted(this.path, error));
  }
}

export interface HotContent {
  readonly chunks: readonly Buffer[];
  readonly bytes: number;
  readonly rows: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly firstAt: number;
}

/**
 * Rows that are not in Parquet, as a file that never changes. The rows stay in memory until they are written. Nothing
 * is flushed, because the log makes the rows durable.
 */
export class HotFile {
  readonly held: HeldFile;
  readonly bytes: number;
  readonly rows: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly firstAt: number;
  #chunks: readonly Buffer[] | undefined;
  #writing: Promise<void> | undefined;

  constructor(held: HeldFile, content: HotContent) {
    this.held = held;
    this.bytes = content.bytes;
    this.rows = content.rows;
    this.firstSeq = content.firstSeq;
    this.lastSeq = content.lastSeq;
    this.firstAt = content.firstAt;
    this.#chunks = content.chunks;
  }

  /** Bytes in memory that are not written yet. */
  get unwrittenBytes(): number {
    return this.#chunks === undefined ? 0 : this.bytes;
  }

  /** Resolves when the file is written. After a failure the next call tries again. */
  async written(): Promise<void> {
    if (this.#chunks === undefined) return;
    this.#writing ??= this.#write(this.#chunks).finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async #write(chunks: readonly Buffer[]): Promise<void> {
    this.held.hold();
    try {
      await mkdir(dirname(this.held.path), { recursive: true, mode: 0o700 });
      await writeWhole(this.held.path, chunks);
      this.#chunks = undefined;
    } finally {
      this.held.letGo();
    }
  }
}

async function writeWhole(path: string, chunks: readonly Buffer[]): Promise<void> {
  const partial = `${path}.part`;
  const handle = await open(partial, "w", 0o600);
  try {
    await writeAll(handle, chunks, 0);
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
  await handle.close();
  await rename(partial, path);
}
