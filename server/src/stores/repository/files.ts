import { createHash } from "node:crypto";
import { LineCutter, linesOf } from "./cutter.ts";
import type { RepositoryKeys } from "./keys.ts";
import { ITEM_BYTES_MAX } from "./packs.ts";
import type { Repository, RepositoryWriter } from "./repository.ts";

/** Files whose content changes are cut into chunks of this size. */
export const CHUNK_BYTES = 64 * 1024;
const CHUNKS_PER_LINE = 256;
/** A larger file is read twice at its first backup. */
const ITEMS_IN_MEMORY = 2;

/**
 * A file of a backup. A file that never changes has items that are named by its digest, or by its path if the records
 * have no digest. So a later backup knows without reading that the repository has them. Other files have a list of
 * chunks.
 */
export interface BackupFile {
  readonly path: string;
  readonly size: number;
  /** Hexadecimal. Null: only its items have checksums. */
  readonly sha256: string | null;
  readonly by: "sha256" | "path" | "chunks";
}

export interface OpenBackupFile extends BackupFile {
  /** Ids of the items with the content, in order. */
  readonly items: readonly string[];
}

export type FixedFile = Omit<BackupFile, "by">;

/** Returns the ids of the items of a file that never changes. */
function fixedItems(keys: RepositoryKeys, file: BackupFile): string[] {
  const name = file.sha256 ?? file.path;
  const count = Math.ceil(file.size / ITEM_BYTES_MAX);
  return Array.from({ length: count }, (_, n) => keys.itemId(`fixed ${file.by}`, `${name}\0${file.size}\0${n}`));
}

/** Writes the list of files of a backup, with their contents. */
export class FileListWriter {
  readonly #to: RepositoryWriter;
  readonly #cutter = new LineCutter();
  readonly #lists: string[] = [];
  files = 0;
  bytes = 0;

  constructor(to: RepositoryWriter) {
    this.#to = to;
  }

  /**
   * Adds a file that never changes. `read` is called only if the repository lacks a part of it.
   * @throws Error when the content differs from its size or its digest
   */
  async addFixed(file: FixedFile, read: () => AsyncIterable<Uint8Array>): Promise<void> {
    const { path, size, sha256 } = file;
    const listed = { path, size, sha256, by: sha256 === null ? "path" : "sha256" } as const;
    const items = fixedItems(this.#to.keys, listed);
    if (!items.every((id) => this.#to.has(id))) await this.#storeFixed(file, items, read);
    await this.#note(listed);
  }

  /** Stores nothing under a digest before the content was compared with it, because later backups do not read it again. */
  async #storeFixed(file: FixedFile, items: readonly string[], read: () => AsyncIterable<Uint8Array>): Promise<void> {
    const kept: Buffer[] = [];
    const found = await digestOf(cut(read(), ITEM_BYTES_MAX), (chunk) => {
      if (kept.length < ITEMS_IN_MEMORY) kept.push(chunk);
    });
    if (found.size !== file.size)
      throw new Error(`cannot back up ${file.path}: it has ${found.size} bytes, but the records say ${file.size}`);
    if (file.sha256 !== null && file.sha256 !== found.sha256)
      throw new Error(`cannot back up ${file.path}: it was altered`);
    let n = 0;
    for await (const chunk of items.length <= kept.length ? kept : cut(read(), ITEM_BYTES_MAX))
      await this.#to.add(items[n++] ?? "", chunk, { mayShrink: false });
  }

  /** Adds a file whose content may have changed since the last backup. */
  async addChanging(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#addChunks(path, cut(content, CHUNK_BYTES));
  }

  /** Adds a file of lines, which decide where it is cut. */
  async addLines(path: string, lines: AsyncIterable<Buffer>): Promise<void> {
    await this.#addChunks(path, cutLines(lines));
  }

  async #addChunks(path: string, chunks: AsyncIterable<Buffer>): Promise<void> {
    const ids: string[] = [];
    const found = await digestOf(chunks, async (chunk) => {
      const id = this.#to.keys.itemId("chunk", chunk);
      ids.push(id);
      await this.#to.add(id, chunk, { mayShrink: true });
    });
    await this.#note({ path, ...found, by: "chunks" });
    for (let at = 0; at < ids.length; at += CHUNKS_PER_LINE)
      await this.#line({ chunks: ids.slice(at, at + CHUNKS_PER_LINE) });
  }

  /** Ends the list. Returns the ids of its items. */
  async end(): Promise<readonly string[]> {
    await this.#keepList(this.#cutter.end());
    return this.#lists;
  }

  async #note(file: BackupFile): Promise<void> {
    this.files += 1;
    this.bytes += file.size;
    await this.#line(file);
  }

  async #line(value: object): Promise<void> {
    await this.#keepList(this.#cutter.add(Buffer.from(`${JSON.stringify(value)}\n`)));
  }

  async #keepList(chunk: Buffer | null): Promise<void> {
    if (chunk === null) return;
    const id = this.#to.keys.itemId("list", chunk);
    await this.#to.add(id, chunk, { mayShrink: true });
    this.#lists.push(id);
  }
}

/** Cuts a stream into chunks of a size. The last one may be shorter. */
async function* cut(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of content) {
    for (let from = 0; from < part.length;) {
      const piece = part.subarray(from, from + size - bytes);
      from += piece.length;
      bytes += piece.length;
      parts.push(piece);
      if (bytes < size) continue;
      yield Buffer.concat(parts);
      [parts, bytes] = [[], 0];
    }
  }
  if (bytes > 0) yield Buffer.concat(parts);
}

async function* cutLines(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const cutter = new LineCutter();
  for await (const line of lines) {
    const chunk = cutter.add(line);
    if (chunk !== null) yield* whole(chunk);
  }
  const rest = cutter.end();
  if (rest !== null) yield* whole(rest);
}

/** Reads chunks to their end, and gives each to `each`. */
async function digestOf(
  chunks: AsyncIterable<Buffer>,
  each: (chunk: Buffer) => unknown,
): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
    await each(chunk);
  }
  return { size, sha256: hash.digest("hex") };
}

/** One line may be longer than an item. */
function* whole(chunk: Buffer): Generator<Buffer> {
  for (let at = 0; at < chunk.length; at += ITEM_BYTES_MAX) yield chunk.subarray(at, at + ITEM_BYTES_MAX);
}

/** Yields the files of a backup. @throws Error when its list was altered or is not complete */
export async function* backupFiles(
  repository: Repository,
  backup: { readonly name: string; readonly lists: readonly string[]; readonly files: number },
): AsyncGenerator<OpenBackupFile> {
  let open: (BackupFile & { items: string[] }) | undefined;
  let count = 0;
  for await (const line of linesOf(itemsOf(repository, backup.lists))) {
    const { chunks, ...file } = JSON.parse(line) as BackupFile & { chunks?: readonly string[] };
    if (chunks !== undefined) {
      open?.items.push(...chunks);
      continue;
    }
    if (open !== undefined) yield open;
    count += 1;
    open = { ...file, items: file.by === "chunks" ? [] : fixedItems(repository.keys, file) };
  }
  if (open !== undefined) yield open;
  if (count !== backup.files)
    throw new Error(`the list of backup ${backup.name} has ${count} of ${backup.files} files`);
}

/** Returns the ids that one item of a list names. */
export function* listedItems({ keys }: Pick<Repository, "keys">, list: Buffer): Generator<string> {
  for (const line of list.toString().split("\n")) {
    if (line === "") continue;
    const { chunks, ...file } = JSON.parse(line) as BackupFile & { chunks?: readonly string[] };
    if (chunks !== undefined) yield* chunks;
    else if (file.by !== "chunks") yield* fixedItems(keys, file);
  }
}

async function* itemsOf(repository: Pick<Repository, "read">, ids: readonly string[]): AsyncGenerator<Buffer> {
  for (const id of ids) yield repository.read(id);
}

/** Yields the content of a file. @throws Error at the end when it differs from its digest, or when an item was altered */
export async function* fileContent(
  repository: Pick<Repository, "read">,
  { path, items, size, sha256 }: OpenBackupFile,
): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let bytes = 0;
  for (const id of items) {
    const chunk = await repository.read(id).catch((error: Error) => {
      throw new Error(`cannot restore ${path}: ${error.message}`, { cause: error });
    });
    hash.update(chunk);
    bytes += chunk.length;
    yield chunk;
  }
  if (bytes !== size || (sha256 !== null && hash.digest("hex") !== sha256))
    throw new Error(`cannot restore ${path}: it was altered: its checksum differs`);
}
