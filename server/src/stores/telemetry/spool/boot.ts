import { readFile } from "node:fs/promises";

/** Returns the identifier of this run of the machine; null if the system has none. */
export async function bootId(): Promise<string | null> {
  try {
    return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  } catch {
    return null;
  }
}
