import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import type { Archive } from "#stores/archive/index.ts";
import type { ItemPlace } from "./item-index.ts";
import { packPath } from "./layout.ts";
import type { RepositoryKeys } from "./keys.ts";
import { alteredFile, readBytes } from "./small-files.ts";

/** A pack is written when it has this size. */
export const PACK_BYTES = 16 * 1024 * 1024;
/** The longest item. */
export const ITEM_BYTES_MAX = 4 * 1024 * 1024;

const PLAIN = 0;
const ZSTD = 1;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };
/** Compressed items must save at least a tenth. */
const WORTH = 0.9;

/** Encrypts an item. Only items that may shrink are compressed. */
export async function sealItem(
  keys: RepositoryKeys,
  id: string,
  plain: Uint8Array,
  { mayShrink }: { readonly mayShrink: boolean },
): Promise<Buffer> {
  const small = mayShrink ? await promisify(zstdCompress)(plain, LEVEL) : undefined;
  const isSmaller = small !== undefined && small.length < plain.length * WORTH;
  return keys.seal(itemPlace(id), Buffer.concat([Buffer.of(isSmaller ? ZSTD : PLAIN), isSmaller ? small : plain]));
}

/** @throws Error when the bytes are not those of the item */
export async function openItem(keys: RepositoryKeys, id: string, sealed: Uint8Array): Promise<Buffer> {
  const opened = keys.open(itemPlace(id), sealed);
  const rest = opened.subarray(1);
  return opened[0] === ZSTD ? promisify(zstdDecompress)(rest) : rest;
}

function itemPlace(id: string): string {
  return `item ${id}`;
}

/** Collects items to a pack. */
export class PackBuffer {
  #parts: Buffer[] = [];
  #items: { readonly id: string; readonly offset: number; readonly length: number }[] = [];
  bytes = 0;

  add(id: string, sealed: Buffer): void {
    this.#items.push({ id, offset: this.bytes, length: sealed.length });
    this.#parts.push(sealed);
    this.bytes += sealed.length;
  }

  /** Returns the pack, and begins the next one. */
  take(): { readonly sha256: string; readonly content: Buffer; readonly items: [string, ItemPlace][] } {
    const content = Buffer.concat(this.#parts);
    const sha256 = createHash("sha256").update(content).digest("hex");
    const items = this.#items.map(({ id, offset, length }): [string, ItemPlace] => [
      id,
      { pack: sha256, offset, length },
    ]);
    [this.#parts, this.#items, this.bytes] = [[], [], 0];
    return { sha256, content, items };
  }
}

/** Packs that are kept in memory, because the items of a file are beside each other. */
const KEPT_PACKS = 3;

/** Reads items from packs. */
export class PackReader {
  readonly #archive: Archive;
  readonly #keys: RepositoryKeys;
  readonly #wholePacks: boolean;
  readonly #kept = new Map<string, Promise<Buffer>>();

  /** `wholePacks`: the caller reads most items, so each pack is read once, as a whole. */
  constructor(archive: Archive, keys: RepositoryKeys, { wholePacks }: { readonly wholePacks: boolean }) {
    this.#archive = archive;
    this.#keys = keys;
    this.#wholePacks = wholePacks;
  }

  /** @throws Error when the item was altered, which names the pack, or when the pack is missing */
  async read(id: string, { pack, offset, length }: ItemPlace): Promise<Buffer> {
    const path = packPath(pack);
    const range = { start: offset, end: offset + length };
    const sealed = this.#wholePacks
      ? (await this.#whole(pack)).subarray(range.start, range.end)
      : await readBytes(this.#archive, path, range);
    try {
      return await openItem(this.#keys, id, sealed);
    } catch (error) {
      throw alteredFile(this.#archive, path, error);
    }
  }

  #whole(pack: string): Promise<Buffer> {
    const kept = this.#kept.get(pack) ?? readBytes(this.#archive, packPath(pack));
    kept.catch(() => undefined); // the caller awaits it
    this.#kept.delete(pack);
    this.#kept.set(pack, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_PACKS && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }
}
