import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncDirectory } from "#stores/directory/index.ts";
import { ignoreAbsent } from "../errors.ts";

/** Creates a file durably. After a crash it is either complete or absent. */
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
