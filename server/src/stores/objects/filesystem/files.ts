import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ignoreAbsent } from "../errors.ts";

/** Makes the names in a directory survive a crash. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a file with a content that is there whole or not at all, also after a crash. */
export async function writeFileDurably(path: string, content: string): Promise<void> {
  const handle = await open(`${path}.new`, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

export async function readTextIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch(ignoreAbsent);
}

/**
 * Keeps a second server out of the directory. An empty SQLite database under an exclusive transaction gives us the lock of the
 * operating system that Node has no call for: it ends with the process, however that ends.
 * @throws Error when another process holds it
 */
export function lockDirectory(path: string): () => void {
  const holder = `${path}.pid`;
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    const pid = readHolder(holder);
    const cause = `it is open in another process${pid === undefined ? "" : ` (pid ${pid})`}; stop that one first`;
    throw new Error(`cannot lock the objects directory: ${cause}`, { cause: error });
  }
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    if (!database.isOpen) return;
    rmSync(holder, { force: true });
    database.close();
  };
}

function readHolder(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
