import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** How long a second backup waits for the first. */
const WAIT_MS = 5_000;

/** A file of a data directory, as a backup stores it. */
export interface KeptFile {
  /** Relative to the data directory, with `/`. */
  readonly path: string;
  /** `link`: the file never changes, so a hard link to it is a copy. */
  readonly how: "link" | "copy";
  /** Size in bytes and SHA-256 in hexadecimal, if the records have them. */
  readonly size: number | null;
  readonly sha256: string | null;
}

function pathIn(dataDir: string): string {
  return join(dataDir, "backup.lock");
}

/**
 * Keeps every process from deleting files of the data directory until the returned function is called or this process
 * ends. A process that deletes a file first commits that nothing needs it, and then calls `areDeletionsHeld`. So a
 * deletion that still happens was committed before the hold began, and records that are read under the hold do not name
 * its file.
 * @throws Error when another process has a hold
 */
export function holdDeletions(dataDir: string): () => void {
  const database = new DatabaseSync(pathIn(dataDir));
  try {
    database.exec(`PRAGMA journal_mode = MEMORY; PRAGMA busy_timeout = ${WAIT_MS}; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    throw new Error("another backup of this data directory is running: wait until it has ended", { cause: error });
  }
  return () => {
    if (database.isOpen) database.close();
  };
}

/** Returns whether a backup runs now. It reads the disk, so only deletions call it. */
export function areDeletionsHeld(dataDir: string): boolean {
  const path = pathIn(dataDir);
  if (!existsSync(path)) return false;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}
