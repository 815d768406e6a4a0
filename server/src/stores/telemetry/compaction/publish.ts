import { mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import type { Layout } from "../layout.ts";

/** Renames a finished file so that after a crash at any moment all of it exists, or nothing. */
export async function publish(temporary: string, path: string, root: string): Promise<void> {
  const handle = await open(temporary, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rename(temporary, path);
  await syncDirectory(dirname(path));
  if (made === undefined) return;
  for (let parent = dirname(dirname(path)); parent.length >= root.length; parent = dirname(parent))
    await syncDirectory(parent);
}

/**
 * A planned replacement of files. It is on disk before the first new file has its name, and until it is known whether
 * the manifest has the change. It tells a start which file is not needed, and which has the only copy of its rows.
 * Paths are relative to the telemetry directory.
 */
export interface Replacing {
  readonly dropped: readonly string[];
  readonly added: readonly string[];
}

/** Returns the path of the note. */
export async function noteReplacing(layout: Layout, id: string, replacing: Replacing): Promise<string> {
  const path = join(layout.replacing, `${id}.json`);
  await writeFile(path, JSON.stringify(replacing), { mode: 0o600, flush: true });
  await syncDirectory(layout.replacing);
  return path;
}

/**
 * Returns the notes that a crash has left, by their path. Deletes an incomplete note, since no file was moved after it.
 */
export async function readReplacing(layout: Layout): Promise<Map<string, Replacing>> {
  const notes = new Map<string, Replacing>();
  for (const name of await readdir(layout.replacing)) {
    const path = join(layout.replacing, name);
    try {
      notes.set(path, JSON.parse(await readFile(path, "utf8")) as Replacing);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      await rm(path, { force: true });
    }
  }
  return notes;
}
