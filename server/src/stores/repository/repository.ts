import type { Clock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import { openKeys, openOrCreateKeys } from "./config.ts";
import { NewItems, readIndex, type ItemIndex } from "./item-index.ts";
import type { RepositoryKeys } from "./keys.ts";
import { packPath } from "./layout.ts";
import { RepositoryLock } from "./locks.ts";
import { PACK_BYTES, PackBuffer, PackReader, sealItem } from "./packs.ts";

/** An index is written after this many packs, so that an interrupted backup continues there. */
const PACKS_PER_INDEX = 32;

/** An open repository, for reading. */
export class Repository {
  readonly archive: Archive;
  readonly keys: RepositoryKeys;
  readonly #packs: PackReader;
  #index: ItemIndex;

  private constructor(archive: Archive, keys: RepositoryKeys, index: ItemIndex, wholePacks: boolean) {
    this.archive = archive;
    this.keys = keys;
    this.#index = index;
    this.#packs = new PackReader(archive, keys, { wholePacks });
  }

  /** @throws Error when there is no repository, the key is another one, or a file was altered */
  static async open(
    archive: Archive,
    backupKey: string,
    { wholePacks = false }: { readonly wholePacks?: boolean } = {},
  ): Promise<Repository> {
    const keys = await openKeys(archive, backupKey);
    return new Repository(archive, keys, await readIndex(archive, keys), wholePacks);
  }

  /** A reader of the items that a writer knows. */
  static of({ archive, keys, index }: RepositoryWriter): Repository {
    return new Repository(archive, keys, index, false);
  }

  get index(): ItemIndex {
    return this.#index;
  }

  has(id: string): boolean {
    return this.#index.find(id) !== undefined;
  }

  /** @throws Error when the item is missing or was altered */
  async read(id: string): Promise<Buffer> {
    const place = this.#index.find(id);
    if (place === undefined) throw new Error(`an item of the backup is missing in ${this.archive.name}`);
    try {
      return await this.#packs.read(id, place);
    } catch (error) {
      // A prune may have moved the item to another pack.
      if ((await this.archive.sizeOf(packPath(place.pack))) !== undefined) throw error;
      this.#index = await readIndex(this.archive, this.keys);
      const moved = this.#index.find(id);
      if (moved === undefined || moved.pack === place.pack) throw error;
      return this.#packs.read(id, moved);
    }
  }
}

/** Adds items to a repository. Close it at the end, also after an error. */
export class RepositoryWriter {
  readonly archive: Archive;
  readonly keys: RepositoryKeys;
  readonly index: ItemIndex;
  readonly lock: RepositoryLock;
  readonly #clock: Clock;
  readonly #pending = new Set<string>();
  readonly #new = new NewItems();
  #pack = new PackBuffer();
  #sending: Promise<void> = Promise.resolve();
  /** Bytes of the packs that this writer has written. */
  writtenBytes = 0;

  private constructor(archive: Archive, keys: RepositoryKeys, index: ItemIndex, lock: RepositoryLock, clock: Clock) {
    this.archive = archive;
    this.keys = keys;
    this.index = index;
    this.lock = lock;
    this.#clock = clock;
  }

  /** Creates the repository if there is none. @throws Error when a prune runs, or the key is another one */
  static async open(
    archive: Archive,
    backupKey: string,
    { clock, exclusive = false }: { readonly clock: Clock; readonly exclusive?: boolean },
  ): Promise<RepositoryWriter> {
    const keys = await openOrCreateKeys(archive, backupKey);
    const lock = await RepositoryLock.take(archive, clock, exclusive);
    try {
      return new RepositoryWriter(archive, keys, await readIndex(archive, keys), lock, clock);
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  reader(): Repository {
    return Repository.of(this);
  }

  has(id: string): boolean {
    return this.index.find(id) !== undefined || this.#pending.has(id);
  }

  /** Adds an item unless the repository has it. */
  async add(id: string, plain: Uint8Array, how: { readonly mayShrink: boolean }): Promise<void> {
    if (this.has(id)) return;
    await this.addSealed(id, await sealItem(this.keys, id, plain, how));
  }

  /** Adds an encrypted item, even if the repository has it in another pack. */
  async addSealed(id: string, sealed: Buffer): Promise<void> {
    this.#pending.add(id);
    this.#pack.add(id, sealed);
    if (this.#pack.bytes >= PACK_BYTES) await this.#send();
  }

  /** Resolves when all items are durable, and listed in an index. */
  async flush(): Promise<void> {
    if (this.#pack.bytes > 0) await this.#send();
    await this.#sending;
    if (this.#new.packs > 0) await this.writeIndex();
  }

  /** Writes the items of new packs as one index. Resolves to its path. */
  async writeIndex(): Promise<string> {
    await this.archive.finish();
    return this.#new.write(this.archive, this.keys, this.#clock.nowMs());
  }

  /** Adds items that are in packs already to the next index. */
  noteKept(id: string, place: Parameters<NewItems["note"]>[1]): void {
    this.#new.note(id, place);
  }

  async close(): Promise<void> {
    await this.#sending.catch(() => undefined);
    await this.lock.release();
  }

  /** Begins to send the pack. The next one is filled meanwhile. */
  async #send(): Promise<void> {
    await this.#sending;
    const { sha256, content, items } = this.#pack.take();
    this.#sending = (async () => {
      await this.lock.renew();
      await this.archive.create(packPath(sha256), content);
      this.writtenBytes += content.length;
      for (const [id, place] of items) {
        this.index.note(id, place);
        this.#new.note(id, place);
        this.#pending.delete(id);
      }
      if (this.#new.packs >= PACKS_PER_INDEX) await this.writeIndex();
    })();
    this.#sending.catch(() => undefined); // the next call awaits it
  }
}
