import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { Archive } from "#stores/archive/index.ts";
import { INDEX, timeName } from "./layout.ts";
import type { RepositoryKeys } from "./keys.ts";
import { alteredFile, createExactly, readBytes } from "./small-files.ts";

/** The place of an item. */
export interface ItemPlace {
  /** The digest that names the pack. */
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
}

/** An item as an index lists it: id, offset and length. */
type Listed = readonly [string, number, number];

/** A file of `index/`: the items of some packs. */
type IndexFile = Readonly<Record<string, readonly Listed[]>>;

/** Where each item is, by its id. */
export class ItemIndex {
  readonly #places = new Map<string, ItemPlace>();
  readonly #files: string[] = [];

  /** The paths of the files that were read. */
  get files(): readonly string[] {
    return this.#files;
  }

  get size(): number {
    return this.#places.size;
  }

  find(id: string): ItemPlace | undefined {
    return this.#places.get(id);
  }

  note(id: string, place: ItemPlace): void {
    this.#places.set(id, place);
  }

  entries(): IterableIterator<[string, ItemPlace]> {
    return this.#places.entries();
  }

  /** Adds the items of one file of `index/`. @throws Error when it was altered */
  async read(archive: Archive, keys: RepositoryKeys, path: string): Promise<void> {
    const packs = await openIndexFile(archive, keys, path);
    for (const [pack, items] of Object.entries(packs))
      for (const [id, offset, length] of items) this.#places.set(id, { pack, offset, length });
    this.#files.push(path);
  }
}

/** Reads all indexes of a repository. @throws Error when one was altered */
export async function readIndex(archive: Archive, keys: RepositoryKeys): Promise<ItemIndex> {
  const index = new ItemIndex();
  const paths = (await Array.fromAsync(archive.paths(INDEX))).filter(isIndexPath);
  for (const path of paths.toSorted()) await index.read(archive, keys, path);
  return index;
}

/** Items of packs that no index lists yet. */
export class NewItems {
  readonly #packs = new Map<string, Listed[]>();

  get packs(): number {
    return this.#packs.size;
  }

  note(id: string, { pack, offset, length }: ItemPlace): void {
    const items = this.#packs.get(pack) ?? [];
    if (items.length === 0) this.#packs.set(pack, items);
    items.push([id, offset, length]);
  }

  /** Writes them as one file of `index/`, and forgets them. Resolves to its path. */
  async write(archive: Archive, keys: RepositoryKeys, nowMs: number): Promise<string> {
    const path = `${INDEX}${timeName(nowMs)}-${randomBytes(8).toString("hex")}`;
    const text = JSON.stringify(Object.fromEntries(this.#packs) satisfies IndexFile);
    await createExactly(archive, path, keys.seal(path, await promisify(zstdCompress)(text)));
    await archive.finish();
    this.#packs.clear();
    return path;
  }
}

const INDEX_PATH = /^index\/\d{8}T\d{6}Z-[0-9a-f]{16}$/;

export function isIndexPath(path: string): boolean {
  return INDEX_PATH.test(path);
}

async function openIndexFile(archive: Archive, keys: RepositoryKeys, path: string): Promise<IndexFile> {
  const sealed = await readBytes(archive, path);
  try {
    return JSON.parse(String(await promisify(zstdDecompress)(keys.open(path, sealed)))) as IndexFile;
  } catch (error) {
    throw alteredFile(archive, path, error);
  }
}
