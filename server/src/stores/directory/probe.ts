import { open, rm } from "node:fs/promises";
import { join } from "node:path";

/** More than a block that the file system may have left in a file's end. */
const PROBE_BYTES = Buffer.alloc(64 * 1024);
const MS_PER_S = 1000;

/** Writes a new file, flushes it and deletes it. Returns the seconds of the flush. */
export async function probeWrite(directory: string): Promise<number> {
  const path = join(directory, ".mooring-probe");
  const handle = await open(path, "w", 0o600);
  try {
    await handle.writeFile(PROBE_BYTES);
    const beganMs = performance.now();
    await handle.datasync();
    return (performance.now() - beganMs) / MS_PER_S;
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
}
