import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { allDeletions, deleteAgain, type ListedDeletion } from "#domain/people/index.ts";
import { isoFromMs, type Clock } from "#kernel/time.ts";
import { readTextIfPresent, writeFileDurably } from "#stores/directory/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";

/**
 * The list of deletions beside the data: in the data directory and in the directory of backups. It has only ids and
 * times. A restore of an older backup deletes the people of the list again.
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

/** Writes the deletions of the records to the lists of these directories. */
export async function noteDeletions(
  metadata: Pick<MetadataStore, "read">,
  directories: readonly string[],
): Promise<void> {
  const all = await Array.fromAsync(allDeletions({ metadata }));
  for (const directory of directories) await addDeletions(directory, all);
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
