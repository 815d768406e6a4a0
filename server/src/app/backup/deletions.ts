import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { allDeletions, deleteAgain, type ListedDeletion } from "#domain/people/index.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import type { Archive } from "#stores/archive/index.ts";
import { readTextIfPresent, writeFileDurably } from "#stores/directory/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/**
 * The list of deletions beside the data. It has only ids and times. A place of backups has them, too, each in a file. A restore of an older backup deletes the people of the list again.
 */
export const DELETIONS_FILE = "deletions.ndjson";

/** Reads a list. An absent file is an empty list. @throws Error when a line is not one of a list */
export async function readDeletions(path: string): Promise<ListedDeletion[]> {
  const text = (await readTextIfPresent(path)) ?? "";
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line, at) => parsed(path, line, at + 1));
}

function parsed(path: string, line: string, number: number): ListedDeletion {
  try {
    const { kind, id, deleted_at: at } = JSON.parse(line) as Record<string, unknown>;
    const deletedAtMs = Date.parse(String(at));
    if (kind === "person" && typeof id === "string" && Number.isFinite(deletedAtMs)) return { kind, id, deletedAtMs };
  } catch {
    // The error below names the line.
  }
  throw new Error(`cannot read ${path}: line ${number} is not a deletion`);
}

/** Adds deletions to the list of a directory, in one step. Creates the directory if it is absent. */
export async function addDeletions(directory: string, added: readonly ListedDeletion[]): Promise<void> {
  const path = join(directory, DELETIONS_FILE);
  const present = await readDeletions(path);
  const known = new Set(present.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFileDurably(path, [...present, ...fresh].map(lineOf).join(""));
}

function lineOf({ kind, id, deletedAtMs }: ListedDeletion): string {
  return `${JSON.stringify({ kind, id, deleted_at: isoFromMs(deletedAtMs) })}\n`;
}

/** Writes the deletions of the records to the list of a data directory. */
export async function noteDeletions(metadata: Pick<MetadataStore, "read">, dataDir: string): Promise<void> {
  await addDeletions(dataDir, await Array.fromAsync(allDeletions({ metadata })));
}

/** Where a place of backups has its deletions, each in a file. */
const FOLDER = "deletions/";
const PERSON_ID = /^[A-Za-z0-9_-]{1,100}$/;

/** Writes the deletions of the records to a place of backups. */
export async function noteDeletionsIn(archive: Archive, metadata: Pick<MetadataStore, "read">): Promise<void> {
  const present = new Set(await Array.fromAsync(archive.paths(FOLDER)));
  for await (const deletion of allDeletions({ metadata })) {
    const path = `${FOLDER}${deletion.id}.json`;
    if (!PERSON_ID.test(deletion.id) || present.has(path)) continue;
    await archive.create(path, Buffer.from(lineOf(deletion)));
  }
  await archive.finish();
}

/** Reads the deletions of a place of backups. @throws Error when a file is not one of a deletion */
export async function readDeletionsIn(archive: Archive): Promise<ListedDeletion[]> {
  const all: ListedDeletion[] = [];
  for (const path of await Array.fromAsync(archive.paths(FOLDER))) {
    if (!path.endsWith(".json")) continue;
    const text = Buffer.concat(await Array.fromAsync(archive.read(path))).toString();
    all.push(parsed(`${path} in ${archive.name}`, text, 1));
  }
  return all;
}

/**
 * Deletes the people of the data directory's list again. Called before any request is answered, because the records may
 * be those of an older backup. The jobs erase the rest.
 */
export async function applyDeletions(
  dataDir: string,
  { metadata, clock }: { readonly metadata: MetadataStore; readonly clock: Clock },
): Promise<string[]> {
  return deleteAgain({ metadata, clock }, await readDeletions(join(dataDir, DELETIONS_FILE)));
}
