import type { Clock } from "#kernel/time.ts";
import { UNFINISHED, type Archive } from "#stores/archive/index.ts";
import { backupNames, readBackup, type BackupRecord } from "./backups.ts";
import { listedItems } from "./files.ts";
import type { ItemPlace } from "./item-index.ts";
import { backupPath, BACKUPS, INDEX, packAt, packPath, PACKS } from "./layout.ts";
import { openItem } from "./packs.ts";
import { RepositoryWriter } from "./repository.ts";
import { spareBackups, type Retention } from "./retention.ts";
import { alteredFile, readBytes } from "./small-files.ts";

export interface Pruned {
  /** Names of the deleted backups. */
  readonly backups: readonly string[];
  readonly deletedPacks: number;
}

export interface PruneOptions {
  readonly clock: Clock;
  /** Null: delete only `names`. */
  readonly retention: Retention | null;
  /** Backups to delete in any case. */
  readonly names?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** A pack is written again without its dead items if less than this part of it is live. */
const LIVE_MIN = 0.5;
const PACKS_PER_INDEX = 4_096;
/** More files in `index/` are merged to one. */
const INDEXES_MAX = 32;

/**
 * Deletes old backups, and then the packs that no backup needs. It can end at any moment: the files that are needed are
 * written before others are deleted. A further prune deletes what an interrupted one has left.
 * @throws Error when a backup can't be read: then nothing is deleted
 */
export async function pruneRepository(archive: Archive, backupKey: string, options: PruneOptions): Promise<Pruned> {
  const writer = await RepositoryWriter.open(archive, backupKey, { clock: options.clock, exclusive: true });
  try {
    const backups = await readAll(archive, writer);
    const spare = new Set(spareOf(backups, options));
    const kept = backups.filter(({ name }) => !spare.has(name));
    // A list that can't be read ends the prune before it deletes anything.
    const live = await liveItems(writer, kept, options.signal);
    for (const name of spare) await archive.remove(backupPath(name));
    const deletedPacks = await deleteDead(writer, live, options.signal);
    return { backups: [...spare], deletedPacks };
  } finally {
    await writer.close();
  }
}

function spareOf(backups: readonly BackupRecord[], { retention, names = [] }: PruneOptions): string[] {
  const present = backups.map(({ name }) => name);
  const unknown = names.filter((name) => !present.includes(name));
  if (unknown.length > 0) throw new Error(`there is no backup ${unknown.join(", ")}`);
  const timed = backups.map(({ name, started_at: at }) => ({ name, startedMs: Date.parse(at) }));
  return [...new Set([...names, ...(retention === null ? [] : spareBackups(timed, retention))])];
}

async function readAll(archive: Archive, { keys }: RepositoryWriter): Promise<BackupRecord[]> {
  const backups: BackupRecord[] = [];
  for (const name of await backupNames(archive)) backups.push(await readBackup(archive, keys, name));
  return backups;
}

async function liveItems(
  writer: RepositoryWriter,
  backups: readonly BackupRecord[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const live = new Set<string>();
  const repository = writer.reader();
  for (const { lists } of backups)
    for (const list of lists) {
      if (live.has(list)) continue;
      signal?.throwIfAborted();
      live.add(list);
      for (const id of listedItems(repository, await repository.read(list))) live.add(id);
    }
  return live;
}

/** Items of a pack. */
interface PackUse {
  readonly items: [string, ItemPlace][];
  bytes: number;
  liveBytes: number;
}

async function deleteDead(
  writer: RepositoryWriter,
  live: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { archive } = writer;
  const uses = usesOf(writer, live);
  const formerIndexes = writer.index.files;
  const dropped = [...uses.values()].filter((use) => !isKept(use));
  const needed = new Set([...uses].filter(([, use]) => isKept(use)).map(([pack]) => pack));
  if (dropped.length > 0 || formerIndexes.length > INDEXES_MAX) {
    const moved: string[] = [];
    for (const { items } of dropped) moved.push(...(await moveItems(writer, items, live, signal)));
    await writeWholeIndex(writer, uses);
    // The same items in the same order become the pack that an interrupted prune has made.
    for (const id of moved) needed.add(writer.index.find(id)?.pack ?? "");
    for (const path of formerIndexes) await archive.remove(path);
  }
  const dead = (await Array.fromAsync(archive.paths(PACKS))).filter((path) => !needed.has(packAt(path) ?? ""));
  for (const path of dead) await archive.remove(path);
  for (const folder of [INDEX, BACKUPS])
    for (const path of await Array.fromAsync(archive.paths(folder)))
      if (path.endsWith(UNFINISHED)) await archive.remove(path);
  return dead.length;
}

function usesOf({ index }: RepositoryWriter, live: ReadonlySet<string>): Map<string, PackUse> {
  const uses = new Map<string, PackUse>();
  for (const [id, place] of index.entries()) {
    const use = uses.get(place.pack) ?? { items: [], bytes: 0, liveBytes: 0 };
    uses.set(place.pack, use);
    use.items.push([id, place]);
    use.bytes += place.length;
    if (live.has(id)) use.liveBytes += place.length;
  }
  return uses;
}

function isKept(use: PackUse | undefined): boolean {
  return use !== undefined && use.liveBytes >= use.bytes * LIVE_MIN && use.liveBytes > 0;
}

/** Copies the live items of a pack to new packs. Returns their ids. */
async function moveItems(
  writer: RepositoryWriter,
  items: PackUse["items"],
  live: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const moved: string[] = [];
  for (const [id, { pack, offset, length }] of items) {
    if (!live.has(id)) continue;
    signal?.throwIfAborted();
    const path = packPath(pack);
    const sealed = await readBytes(writer.archive, path, { start: offset, end: offset + length });
    await openItem(writer.keys, id, sealed).catch((error: unknown) => {
      throw alteredFile(writer.archive, path, error);
    });
    await writer.addSealed(id, sealed);
    moved.push(id);
  }
  return moved;
}

/** Writes an index with all items, and resolves when it is durable. */
async function writeWholeIndex(writer: RepositoryWriter, uses: ReadonlyMap<string, PackUse>): Promise<void> {
  await writer.flush();
  let packs = 0;
  for (const use of uses.values()) {
    if (!isKept(use)) continue;
    for (const [id, place] of use.items) writer.noteKept(id, place);
    packs += 1;
    if (packs % PACKS_PER_INDEX === 0) await writer.writeIndex();
  }
  await writer.flush();
}
