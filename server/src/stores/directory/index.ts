import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

export { probeWrite } from "./probe.ts";
export { areDeletionsHeld, holdDeletions, type KeptFile } from "./hold.ts";

/** Directory functions that Node lacks. */

/**
 * Keeps a second process out of a directory by the lock file at `path` in it. The file is an empty SQLite database
 * under an exclusive transaction: this takes a lock of the operating system, for which Node has no call, and which ends
 * with the process in every case. `what` names the directory.
 * @throws Error when another process holds it
 */
export function lockDirectory(path: string, what: string): () => void {
  const holder = `${path}.pid`;
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    const pid = readHolder(holder);
    const cause = `it is open in another process${pid === undefined ? "" : ` (pid ${pid})`}; stop that one first`;
    throw new Error(`cannot lock the ${what} directory: ${cause}`, { cause: error });
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

/** Makes the names in a directory survive a crash. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a small file durably, in one step: after a crash it has the old content or the new one. */
export async function writeFileDurably(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`;
  const handle = await open(temporary, "w", 0o600);
  try {
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncDirectory(dirname(path));
}

/** Returns the content of a small file. Undefined: there is none. */
export async function readTextIfPresent(path: string): Promise<string | undefined> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
}
