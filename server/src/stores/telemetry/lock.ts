import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

/**
 * Keeps a second process out of the directory. An empty SQLite database under an exclusive transaction gives us the lock
 * of the operating system that Node has no call for: it ends with the process, however that ends.
 * @throws Error when another process holds it
 */
export async function lockDirectory(directory: string, path: string): Promise<() => void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const holder = `${path}.pid`;
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    const pid = readHolder(holder);
    const cause = `it is open in another process${pid === undefined ? "" : ` (pid ${pid})`}; stop that one first`;
    throw new Error(`cannot lock the telemetry directory: ${cause}`, { cause: error });
  }
  writeFileSync(holder, `${process.pid}\n`, { mode: 0o600 });
  return () => {
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
